"""Questions about a day, a week or a month find the memories of it, through the whole path of recall."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

from flows.index import index
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.bootstrap import Home, open_home
from sunrise.domain.recall import RecallRequest
from sunrise.settings import load_settings
from tests.fakes import FrozenClock
from tests.homes import run_body

ZONE = "Asia/Taipei"
NOW = round(datetime(2026, 6, 18, 21, tzinfo=ZoneInfo(ZONE)).timestamp() * 1000)
"""A Thursday."""

# Day, hour and text. No text names its day.
MEMORIES = {
    "run": ("2026-06-18", 7, "Jogged around the reservoir and saw two herons"),
    "dentist": ("2026-06-18", 15, "The dentist filled a molar, no coffee until the numbness was gone"),
    "拉麵": ("2026-06-18", 12, "跟阿宏去吃了沾麵，排隊四十分鐘"),
    "print": ("2026-06-17", 9, "The office printer jammed and Gus cleaned the rollers"),
    "concert": ("2026-06-17", 20, "Heard a string quartet with Maya, second row"),
    "奶奶": ("2026-06-17", 19, "打電話給奶奶，她說膝蓋好多了"),
    "tent": ("2026-06-16", 18, "Bought a two-person tent and a gas stove for the hike"),
    "冷氣": ("2026-06-16", 10, "冷氣師傅來灌了冷媒，客廳終於涼了"),
    "budget": ("2026-06-15", 14, "Agreed with finance to freeze hiring until autumn"),
    "水管": ("2026-06-15", 11, "浴室水管爆掉，樓下天花板滲水"),
    "ferry": ("2026-06-14", 13, "Took the ferry to the island, the kids fed gulls"),
    "烤肉": ("2026-06-13", 17, "在河濱公園烤肉，忘了帶木炭"),
    "release": ("2026-06-12", 16, "Version 4.1 of the parser went out and broke two plugins"),
    "面試": ("2026-06-12", 10, "面試了一位後端工程師，他很懂資料庫"),
    "vet": ("2026-06-11", 9, "The vet gave the dog a rabies shot"),
    "搬家": ("2026-06-10", 15, "幫小玲搬家，沙發卡在樓梯間"),
    "wine": ("2026-06-09", 20, "Opened the Barolo that Piet had left in the cellar"),
    "體檢": ("2026-06-08", 8, "去做健康檢查，膽固醇有點高"),
    "roof": ("2026-06-04", 10, "Roofers replaced eleven tiles above the kitchen"),
    "租約": ("2026-06-03", 14, "跟房東續了兩年租約，房租沒漲"),
    "course": ("2026-05-28", 18, "Finished the pottery course and glazed a teapot"),
    "颱風": ("2026-05-22", 21, "颱風假，在家整理了三箱舊書"),
    "passport": ("2026-05-06", 11, "Handed in the passport forms at the town hall"),
    "球賽": ("2026-05-03", 19, "去看職棒，悍將九局下逆轉"),
    "bike": ("2026-04-21", 17, "Had the bicycle chain and both brake pads replaced"),
    "掃墓": ("2026-04-05", 9, "全家去掃墓，路上塞了三小時"),
    "flood": ("2026-03-11", 22, "The cellar flooded, the pump ran all night"),
    "簽約": ("2026-02-09", 15, "跟供應商簽了新的採購合約"),
    "piano": ("2025-12-20", 18, "Lena played Satie at the school recital"),
    "滑雪": ("2025-11-03", 14, "去北海道滑雪，摔斷了一支雪杖"),
    "moved": ("2025-05-17", 16, "Signed for the flat on Elm Road and got three keys"),
    "求婚": ("2024-10-02", 20, "在燈塔向雅婷求婚，她答應了"),
}

ENGLISH = [
    ("What did I do this morning?", "run"),
    ("What happened this afternoon?", "dentist"),
    ("What was done at my teeth today?", "dentist"),
    ("Who repaired the printer yesterday?", "print"),
    ("What did I hear last night?", "concert"),
    ("What did I buy the day before yesterday?", "tent"),
    ("What happened two days ago?", "tent 冷氣"),
    ("What did we decide on Monday?", "budget"),
    ("Where did we go last Sunday?", "ferry"),
    ("What did we do last weekend?", "ferry 烤肉"),
    ("What went out last Friday?", "release"),
    ("Where was I with the dog a week ago today?", "vet"),
    ("What happened seven days ago?", "vet"),
    ("What did we drink on Tuesday last week?", "wine"),
    ("What happened last week on Tuesday?", "wine"),
    ("What was repaired two weeks ago?", "roof"),
    ("What happened on the 4th of June?", "roof"),
    ("What did I do on June 4?", "roof"),
    ("What did I finish on 28 May?", "course"),
    ("What did I do last month?", "course 颱風 passport 球賽"),
    ("What did I hand in on the 6th of last month?", "passport"),
    ("What was fixed on April 21st?", "bike"),
    ("What happened in April?", "bike 掃墓"),
    ("What happened on March 11th?", "flood"),
    ("What did I do in December last year?", "piano"),
    ("What did I sign in May last year?", "moved"),
    ("What happened on 2025-12-20?", "piano"),
    ("What did we do on 17 May 2025?", "moved"),
    ("Where did I go the week before last?", "roof 租約"),
    ("What did we decide at the start of this week on Monday?", "budget"),
]

CHINESE = [
    ("今天中午我吃了什麼？", "拉麵"),
    ("今早做了什麼？", "run"),
    ("今天下午发生了什么？", "dentist"),
    ("昨天我做了什麼？", "奶奶 print concert"),
    ("昨晚跟誰講了電話？", "奶奶"),
    ("前天家裡修了什麼？", "冷氣"),
    ("前天我们做了什么？", "冷氣 tent"),
    ("大前天發生了什麼事？", "水管 budget"),
    ("大前天家裡哪裡漏水？", "水管"),
    ("星期一有什麼事情？", "水管 budget"),
    ("禮拜六我們去哪裡了？", "烤肉"),
    ("上週末有沒有出去玩？", "烤肉 ferry"),
    ("周五面试了谁？", "面試"),
    ("上星期五我見了誰？", "面試"),
    ("上週三幫誰的忙？", "搬家"),
    ("上个星期一去做了什么检查？", "體檢"),
    ("十天前我做了什麼？", "體檢"),
    ("上上週三跟房東談了什麼？", "租約"),
    ("六月三號我簽了什麼？", "租約"),
    ("6月3日那天做了什么？", "租約"),
    ("上個月有什麼事？", "颱風 球賽 course passport"),
    ("上個月二十二號我在家做什麼？", "颱風"),
    ("五月三日我去看了什麼？", "球賽"),
    ("五月3号去哪了？", "球賽"),
    ("四月全家去了哪裡？", "掃墓"),
    ("今年二月簽了什麼合約？", "簽約"),
    ("去年十一月我去哪裡玩？", "滑雪"),
    ("去年11月3日发生了什么？", "滑雪"),
    ("前年十月我做了什麼？", "求婚"),
    ("三天前做了什么", "水管 budget"),
]

FEWEST = {"use": 28, "none": 24}
"""Of thirty: by words alone nothing tells a question in other words which memory of its day is meant."""


@pytest.fixture(scope="module", params=["use", "none"])
def asked(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Home, int]]:
    folder = tmp_path_factory.mktemp(request.param)
    config = f'timezone = "{ZONE}"\n[embedder]\nname = "{request.param}"\n'
    (folder / "sunrise.toml").write_text(config, encoding="utf-8")
    moments = [
        datetime.fromisoformat(f"{day}T{hour:02}:20").replace(tzinfo=ZoneInfo(ZONE)).timestamp() * 1000
        for day, hour, _ in MEMORIES.values()
    ]
    texts = [text for _, _, text in MEMORIES.values()]
    table = LanceMemories.create(folder / "lance", dimension=0)
    table.add(pa.table({"id": list(MEMORIES), "text": texts, "createdAt": pa.array(moments, pa.float64())}))
    clock = FrozenClock(NOW)
    run_body(folder, index, flow="index", clock=clock)
    with open_home(load_settings(folder), clock=clock) as home:
        yield home, FEWEST[request.param]


def is_right(home: Home, question: str, answers: list[str]) -> bool:
    """Say whether an answer is first, or, where a time has several, among the first three."""
    found = [item.ref.removeprefix("mem:") for item in home.recall(RecallRequest(question, limit=3)).items]
    return bool(found) and not set(found[: 3 if len(answers) > 1 else 1]).isdisjoint(answers)


@pytest.mark.parametrize("questions", [ENGLISH, CHINESE], ids=["english", "chinese"])
def test_a_day_is_answered_by_what_is_of_it(
    asked: tuple[Home, int], questions: list[tuple[str, str]]
) -> None:
    home, fewest = asked
    wrong = [question for question, answers in questions if not is_right(home, question, answers.split())]
    assert len(questions) == 30
    assert len(wrong) <= 30 - fewest, wrong


def test_of_a_day_without_memories_nothing_is_told(asked: tuple[Home, int]) -> None:
    home, _ = asked
    assert home.recall(RecallRequest("2026年1月20日我做了什麼？", limit=3)).items == ()
