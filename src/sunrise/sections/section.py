"""What every section of the settings is."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A table of ``sunrise.toml``: frozen, and an unknown name in it is an error."""

    # An error that is shown whole must not show what was set: it may be a secret.
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)
