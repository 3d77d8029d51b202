from __future__ import annotations

from sunrise.domain.admission.boot_files import BootFiles
from sunrise.domain.admission.chatter import is_acknowledgement


def test_a_name_is_known_in_full_and_without_the_family_in_both_writings() -> None:
    files = BootFiles(["- Name: 林佳蓉 (Lin Chia-Jung)\n- Call her: Rong"])
    for text in ("Lin Chia-Jung is late", "Chia-Jung is late", "Rong is late"):
        assert files.impersonal(text) == "the user is late"
    assert files.impersonal("佳蓉遲到") == files.impersonal("林佳蓉遲到") == "使用者遲到"
    assert files.impersonal("Mr Lin is late") == "Mr Lin is late"


def test_a_long_text_acknowledges_nothing() -> None:
    assert not is_acknowledgement("thanks " * 40)
