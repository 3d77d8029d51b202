"""
Passages of 200 characters or more, and how many tokens each is.

The figures were taken once with tiktoken over the ranks of ``o200k_base`` in the npm package js-tiktoken
1.0.21. None of these passages was among those that the costs were fitted to.
"""

from __future__ import annotations

PASSAGES: dict[str, tuple[int, str]] = {
    "english prose": (
        54,
        (
            "We moved the nightly backup to three in the morning because the old slot collided with the i"
            "mport of invoices. Dana checks the report on Mondays; if a table is missing, she restores it"
            " from the second copy in the basement and tells the rest of the team before lunch."
        ),
    ),
    "english chat": (
        57,
        (
            "hey, did you get around to calling the dentist? I can't make it on friday after all, my sist"
            "er's flight lands at noon and I'd rather not leave her waiting. also, the cat threw up on th"
            "e rug again lol, so we should probably switch back to the old food"
        ),
    ),
    "traditional chinese": (
        177,
        (
            "我們決定把每天晚上的備份改到凌晨三點，因為原本的時間會和發票匯入撞在一起。請記得在部署之前一"
            "律先備份資料庫，如果發現缺少任何一張資料表，就從地下室的第二份副本還原，並且在午餐之前通知整"
            "個團隊。專案的時區統一使用臺北時間，報表裡的金額一律以新臺幣計算，小數點以下四捨五入。會議紀"
            "錄由小美負責整理，每週一早上寄給所有成員；若有人請假，代理人必須在前一天確認待辦事項，避免遺"
            "漏重要的客戶需求。新版本只能在週二或週四上線。"
        ),
    ),
    "simplified chinese": (
        144,
        (
            "我们决定把每天晚上的备份改到凌晨三点，因为原来的时间会和发票导入冲突。请记得在部署之前一律先"
            "备份数据库，如果发现缺少任何一张表，就从地下室的第二份副本恢复，并且在午饭之前通知整个团队。"
            "项目的时区统一使用北京时间，报表里的金额一律以人民币计算，小数点以下四舍五入。会议纪要由小王"
            "负责整理，每周一早上发给所有成员；如果有人请假，代理人必须在前一天确认待办事项，避免遗漏重要"
            "的客户需求。新版本只能在周二或者周四上线。"
        ),
    ),
    "japanese": (
        140,
        (
            "夜間バックアップは午前三時に移しました。以前の時間帯は請求書の取り込みと重なっていたからです"
            "。デプロイの前には必ずデータベースのバックアップを取ってください。テーブルが足りないときは、"
            "地下にある二つ目のコピーから復元し、昼休みの前にチーム全員に知らせます。会議の議事録は田中さ"
            "んがまとめ、毎週月曜の朝にメールで送ることになっています。休むときは、前の日に代わりの人が残"
            "っている作業を確認してください。"
        ),
    ),
    "hiragana": (
        167,
        (
            "きのうはとてもあたたかかったので、いぬといっしょにかわのほとりをゆっくりあるきました。とちゅ"
            "うでちいさなおみせにより、つめたいおちゃとおにぎりをかって、きのしたでたべました。そのあとす"
            "こしねむくなったけれど、ゆうがたまでにはうちへかえり、ばんごはんのしたくをしました。あしたも"
            "はれたら、こんどはともだちをさそって、もうすこしとおくまでいってみたいとおもいます。おべんと"
            "うはわたしがつくるつもりです。たのしみです。"
        ),
    ),
    "katakana": (
        141,
        (
            "サーバー、データベース、バックアップ、スケジュール、メンテナンス、アップデート、インストール"
            "、パスワード、ユーザーアカウント、ファイアウォール、ネットワーク、ルーター、ケーブル、モニタ"
            "ー、キーボード、マウス、プリンター、スキャナー、ドキュメント、プレゼンテーション、スプレッド"
            "シート、カレンダー、リマインダー、ミーティング、プロジェクト、マネージャー、エンジニア、デザ"
            "イナー、レビュー、フィードバック、リリース"
        ),
    ),
    "korean": (
        118,
        (
            "야간 백업은 새벽 세 시로 옮겼습니다. 예전 시간은 청구서 가져오기와 겹쳤기 때문입니다. 배포하"
            "기 전에는 반드시 데이터베이스를 먼저 백업하고, 테이블이 빠져 있으면 지하실에 있는 두 번째 사"
            "본에서 복원한 다음 점심 시간 전에 팀 전체에 알려 주세요. 회의록은 민지 씨가 정리해서 매주 월"
            "요일 아침에 보내기로 했습니다. 휴가를 낼 때는 하루 전에 남은 일을 꼭 확인해야 합니다."
        ),
    ),
    "python": (
        111,
        (
            "def restore(table: str, *, copy: Path, dry_run: bool = False) -> Report:\n"
            "    rows = [json.loads(line) for line in copy.read_text().splitlines() if line]\n"
            "    if not rows:\n"
            '        raise RestoreError(f"nothing in {copy!s}")\n'
            "    with connect(DATABASE_URL) as connection:\n"
            "        for row in rows:\n"
            '            connection.execute(INSERT_ROW, (table, row["id"], row["body"]))\n'
            "    return Report(table=table, restored=len(rows), dry_run=dry_run)\n"
        ),
    ),
    "typescript": (
        96,
        (
            "export async function fetchInvoices(customerId: string, opts: FetchOptions = {}): Promise<In"
            "voice[]> {\n"
            "  const res = await client.get(`/v2/customers/${customerId}/invoices`, { params: opts });\n"
            "  if (res.status !== 200) throw new HttpError(res.status, res.data?.message ?? 'unknown');\n"
            "  return res.data.items.map((item) => ({ ...item, dueDate: new Date(item.dueDate) }));\n"
            "}\n"
        ),
    ),
    "shell": (
        93,
        (
            "#!/bin/sh\n"
            "set -eu\n"
            'BACKUP_DIR="${BACKUP_DIR:-/var/backups/ledger}"\n'
            'for file in "$BACKUP_DIR"/*.sqlite; do\n'
            "  sqlite3 \"$file\" 'PRAGMA integrity_check;' | grep -q '^ok$' || { echo \"broken: $file\" >"
            "&2; exit 1; }\n"
            "done\n"
            "find \"$BACKUP_DIR\" -name '*.sqlite' -mtime +30 -delete\n"
        ),
    ),
    "json": (
        124,
        (
            '{"id": "7c1e", "kind": "tool_result", "toolName": "memory_recall", "ok": true, "items": [{"r'
            'ef": "mem:12", "score": 0.8731, "scope": "global", "createdAt": 1764277200000}, {"ref": "mem'
            ':40", "score": 0.5512, "scope": "finlife", "createdAt": 1764190800000}], "latencyMs": {"dens'
            'e": 4.1, "lexical": 2.75}}'
        ),
    ),
    "log lines": (
        108,
        (
            "2026-11-27T21:00:03.114Z INFO harvest run=8f2c inserted=1204 duplicate=18 quarantined=2 ms=9"
            "11\n"
            "2026-11-27T21:15:02.870Z WARN index fragments=148 unindexed=20412 -> compaction scheduled\n"
            "2026-11-27T21:15:09.002Z ERROR writeback ERR_TIMEOUT at /srv/sunrise/lance/memories.lance (a"
            "ttempt 2/3)\n"
        ),
    ),
    "digits": (
        67,
        (
            "31415926535897932384626433832795028841971693993751058209749445923078164062862089986280348253"
            "42117067982148086513282306647093844609550582231725359408128481117450284102701938521105559644"
            "62294895493038196"
        ),
    ),
    "figures": (
        131,
        (
            "12 1,250 98.6 2026-11-28 07:40 +886 2 2345 6789 1764277200000 0.8731 100% 3.14 42 7 19 2048 "
            "4096 65535 12.5 1024x768 10:30 11:45 2025-01-31 2025-02-28 99 101 5000 250000 0.05 0.001 808"
            "0 9090 443 22 5432 6379 27017"
        ),
    ),
    "base64": (
        150,
        (
            "q7NfT2w0ZkVJc1hVb3pQbEFnR3RCeTNkS21DcjlMaFd4U2o1RTZ1SGFNOFZpWTFPbnZEcEpmUWs0Y1piUnRYc0d3ZUxv"
            "TnlUYTdJaEtCbXVQZ0ZxMkRyQ3hVajlWYzVIWlMwV2tNZk44UXA2TGVKb1l0QXdHaTNUc1JiRXpYbEsxaFB1RHlDbU9n"
            "QnZOcVVmSTdqV2FaU3JM"
        ),
    ),
    "hashes": (
        135,
        (
            "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 7c1e3a52-90bd-4e6f-8a21-5d0"
            "c9b7f4e13 da39a3ee5e6b4b0d3255bfef95601890afd80709 0635834 bc2305c afe4843 4b2ab25 1d612f4 6"
            "cd2048 b1dbc65 80abb9e"
        ),
    ),
    "emoji": (
        398,
        (
            "😀😂🙏👍🔥🎉❤\ufe0f✅🚀👀💯😭😍🤔😅👏💪✨⭐🌈☀\ufe0f🌧\ufe0f🍎🍜🍣🍺☕🎂🎁🎈🏠🚗✈\ufe0f🚲"
            "🏃\u200d♀\ufe0f👩\u200d💻👨\u200d👩\u200d👧🐶🐱🐼🌸🌲⏰📅📌📎✂\ufe0f🔒🔑💡💰📈📉❓❗⚠"
            "\ufe0f♻\ufe0f🇹🇼🇯🇵🇰🇷🎵🎮⚽🏀🎾🧘🛌🧠🫶🥳🤯😴🥲😎🤝🙌💔💤🛠\ufe0f🧪🧯🪴🧾🗂\ufe0f🖥"
            "\ufe0f⌨\ufe0f🖱\ufe0f📱🔋🔌🧭🗺\ufe0f🏔\ufe0f🏖\ufe0f🌋🌙🌟⚡❄\ufe0f🌊🍇🍉🍋🥑🥕🍞🧀🍕🌮🍩"
            "🍫🍷🧊🥢🏆🥇🎯🎲🎻🥁🎤🎬📷🔭🔬💊🩹🚑🚒🚓🚀🛰\ufe0f⛵🚢🚆🚌🚦🗽🗼🏯🎡🎢⛲🐢🐙🦀🐬🐳🦉🦋🐝🌻🌵"
            "🍄🌰🍓🍒🥝🥥🥦🌽🧄🧅🍔🍟🌭🥪🧁🍪🍦🧋🧉🥗"
        ),
    ),
    "mixed": (
        110,
        (
            "决定：cache 改用 Redis 7.2，key prefix 是 `sunrise:v2:`，TTL = 3600 秒；請在 docker-compose."
            "yml 裡把 REDIS_URL 設為 redis://cache:6379/0。田中さんのレビューが終わったら、staging に dep"
            "loy します。담당자는 민지 씨입니다 👍 The rollback plan is in docs/runbook.md, section 4 (「"
            "回滾流程」), and must be read before merging PR #1182."
        ),
    ),
    "chat in two languages": (
        111,
        (
            "我今天跟 Kevin 開會討論 API versioning 的事情，他說 v1 會 support 到明年 Q2，之後就 deprecat"
            "e 掉。我們這邊的 SDK 要記得 bump 到 2.3.0 以上，不然 webhook 的 signature 會對不上。另外 sta"
            "ging 的 certificate 下週二 expire，麻煩 Amy 幫忙 renew 一下，謝謝！然後 dashboard 上那個 lat"
            "ency 的圖，單位其實是 ms 不是 s，記得改 label。"
        ),
    ),
    "german": (
        59,
        (
            "Wir haben die nächtliche Sicherung auf drei Uhr verlegt, weil sich der alte Zeitpunkt mit de"
            "m Einlesen der Rechnungen überschnitt. Vor jeder Auslieferung muss die Datenbank gesichert w"
            "erden; fehlt eine Tabelle, wird sie aus der zweiten Kopie im Keller wiederhergestellt."
        ),
    ),
    "french": (
        62,
        (
            "Nous avons déplacé la sauvegarde de nuit à trois heures, parce que l'ancien créneau tombait "
            "en même temps que l'import des factures. Avant chaque mise en production, il faut toujours s"
            "auvegarder la base ; s'il manque une table, on la restaure à partir de la deuxième copie."
        ),
    ),
    "czech": (
        87,
        (
            "Noční zálohování jsme přesunuli na třetí hodinu ráno, protože se původní čas kryl s importem"
            " faktur. Před každým nasazením je nutné databázi nejprve zálohovat; pokud některá tabulka ch"
            "ybí, obnoví se z druhé kopie ve sklepě a celý tým se to dozví ještě před obědem."
        ),
    ),
    "vietnamese": (
        73,
        (
            "Chúng tôi đã chuyển việc sao lưu hằng đêm sang ba giờ sáng vì khung giờ cũ trùng với lúc nhậ"
            "p hóa đơn. Trước khi triển khai, luôn phải sao lưu cơ sở dữ liệu; nếu thiếu bảng nào thì khô"
            "i phục từ bản sao thứ hai dưới tầng hầm và báo cho cả nhóm trước giờ ăn trưa."
        ),
    ),
    "russian": (
        61,
        (
            "Ночное резервное копирование перенесли на три часа, потому что прежнее время совпадало с заг"
            "рузкой счетов. Перед каждым развёртыванием базу данных нужно обязательно сохранить; если как"
            "ой-то таблицы не хватает, её восстанавливают из второй копии в подвале."
        ),
    ),
    "greek": (
        88,
        (
            "Μεταφέραμε το νυχτερινό αντίγραφο ασφαλείας στις τρεις το πρωί, γιατί η παλιά ώρα συνέπιπτε "
            "με την εισαγωγή των τιμολογίων. Πριν από κάθε έκδοση πρέπει πάντα να αποθηκεύεται η βάση δεδ"
            "ομένων και, αν λείπει κάποιος πίνακας, επαναφέρεται από το δεύτερο αντίγραφο."
        ),
    ),
    "arabic": (
        69,
        (
            "نقلنا النسخ الاحتياطي الليلي إلى الساعة الثالثة صباحا لأن الموعد القديم كان يتعارض مع استيرا"
            "د الفواتير. يجب دائما حفظ قاعدة البيانات قبل كل نشر، وإذا كان أحد الجداول مفقودا فإنه يستعاد"
            " من النسخة الثانية الموجودة في القبو، ثم يبلغ الفريق كله قبل الغداء."
        ),
    ),
    "hindi": (
        85,
        (
            "हमने रात का बैकअप सुबह तीन बजे कर दिया क्योंकि पुराना समय बिलों के आयात से टकराता था। हर बार"
            " नया संस्करण लगाने से पहले डेटाबेस का बैकअप लेना ज़रूरी है; अगर कोई तालिका गायब हो तो उसे तह"
            "खाने में रखी दूसरी प्रति से वापस लाया जाता है और दोपहर के खाने से पहले पूरी टीम को बताया जात"
            "ा है।"
        ),
    ),
    "thai": (
        97,
        (
            "เราย้ายการสำรองข้อมูลตอนกลางคืนไปเป็นเวลาตีสาม เพราะเวลาเดิมชนกับการนำเข้าใบแจ้งหนี้ ก่อนการ"
            "ติดตั้งทุกครั้งต้องสำรองฐานข้อมูลก่อนเสมอ ถ้าตารางใดหายไปให้กู้คืนจากสำเนาชุดที่สองในห้องใต้"
            "ดิน แล้วแจ้งให้ทั้งทีมทราบก่อนพักกลางวัน รายงานการประชุมจะส่งทุกเช้าวันจันทร์"
        ),
    ),
}
