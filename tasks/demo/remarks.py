"""What the demo agent heard and did besides: plain data in English and Chinese."""

from __future__ import annotations

REMARKS: tuple[tuple[str, str, str], ...] = (
    ("decision", "Decided: the billing export keeps CSV until the new portal is live.", "billing"),
    ("decision", "We agreed to freeze the schema of the orders table until March.", "billing"),
    ("decision", "Decided: gateway logs are kept for fourteen days, audit logs for one year.", "gateway"),
    ("decision", "Decision: the cabin network gets its own VLAN 40.", "homelab"),
    ("decision", "決定：新的報表一律以 UTC 儲存時間，顯示時再換算。", "billing"),
    ("decision", "決定停用舊的通知信箱，改用群組頻道。", "global"),
    ("decision", "决定：下个季度起停止支持旧版接口。", "gateway"),
    ("decision", "已确认使用固态硬盘作为缓存盘。", "homelab"),
    ("preference", "The operator likes tables better than long bullet lists.", "global"),
    ("preference", "Prefer metric units and 24-hour times in every answer.", "global"),
    ("preference", "Always ask before sending mail on my behalf.", "personal"),
    ("preference", "使用者喜歡在早上收到當日行程摘要。", "personal"),
    ("preference", "使用者習慣用鍵盤快捷鍵，不喜歡滑鼠選單。", "personal"),
    ("preference", "用户喜欢先看图表，再看数字。", "global"),
    ("preference", "用户不喜欢在深夜收到提醒。", "personal"),
    ("note", "TODO: renew the certificate of cam-garage.lan before it expires.", "homelab"),
    ("note", "TODO: write the rollback steps for the orders migration.", "billing"),
    ("note", "TODO: ask Lukas to review the new session cookie flags.", "gateway"),
    ("note", "Remember to rotate the restic password next quarter.", "homelab"),
    ("note", "TODO: move the alert rules into the repository.", "homelab"),
    ("note", "待辦：更新客服手冊的升級章節。", "gateway"),
    ("note", "待辦：把備份還原演練排進下個月。", "homelab"),
    ("note", "待辦：確認會計是否收到對帳報表。", "billing"),
    ("note", "待办：检查打印机墨盒的余量。", "personal"),
    ("note", "待办：为队列扩容准备压测脚本。", "gateway"),
    ("note", "ok, thanks", "global"),
    ("note", "Sounds good, talk later.", "global"),
    ("note", "Good morning! Did you sleep well?", "personal"),
    ("note", "haha yes, exactly", "personal"),
    ("note", "Let me think about it.", "global"),
    ("note", "好的，謝謝。", "global"),
    ("note", "收到，晚點再說。", "global"),
    ("note", "哈哈，沒問題。", "personal"),
    ("note", "好的，没问题。", "global"),
    ("note", "嗯嗯，明白了。", "personal"),
    ("note", "早上好，今天天气不错。", "personal"),
)
"""Kind, text and scope."""

TOOL_RESULTS: tuple[tuple[str, str, int], ...] = (
    ("exec", "pytest finished: {n} passed in 41 s", 0),
    ("exec", "ERROR: build {n} failed, linker ran out of memory", 1),
    ("exec", "Traceback: TimeoutError while waiting for worker {n}", 1),
    ("exec", "df -h: /srv is {n} % full", 0),
    ("read", "Read /etc/gateway/routes.yaml, {n} lines", 0),
    ("read", "讀取備份紀錄，共 {n} 筆，沒有錯誤", 0),
    ("web_fetch", "GET https://status.example.org returned {n} bytes", 0),
    ("web_fetch", "连接超时：第 {n} 次重试失败", 1),
    ("git_commit", "Committed {n} files: tidy the route table parser", 0),
    ("cron_run", "Nightly backup copied {n} files to the NAS", 0),
    ("cron_run", "排程任務完成，處理 {n} 筆資料", 0),
    ("db_query", "SELECT on orders gave {n} rows", 0),
    ("db_query", "数据库查询返回 {n} 行", 0),
)
"""Tool, summary with a place for a number, and exit code."""

LEAK_SENTENCE = "Pushed with the token {leaked} from the old laptop; revoke it."
GRADED_SENTENCE = (
    "The landlord's emergency number is on the fridge, call it before the fire brigade of the house."
)
UNDATED_SENTENCE = "Noted without a time: the spare key hangs behind the boiler."
RETRIED_SENTENCES = (
    "The quarterly review moved to the big meeting room.",
    "Retry: the quarterly review moved to the big meeting room.",
)
TORN_SENTENCE = "The power went out while this line was being writ"
