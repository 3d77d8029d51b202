"""The rules of payloads for the languages beside English, without accents and in Simplified characters."""

from __future__ import annotations

from sunrise.domain.payload_rules import PayloadReason, rule, standing_order

_OVERRIDE, _EXTRACTION = PayloadReason.INSTRUCTION_OVERRIDE, PayloadReason.PROMPT_EXTRACTION
_DIRECTIVE, _AUTHORITY = PayloadReason.MEMORY_DIRECTIVE, PayloadReason.CLAIMS_AUTHORITY

_HAN_GAP = r"[^。！？!?\n]{0,14}?"
_HAN_NOT = (
    r"(?<!不要)(?<!不可)(?<!不能)(?<!不得)(?<!避免)(?<!防止)(?<!禁止)(?<!請勿)(?<!切勿)"
    r"(?<!別)(?<!會)(?<!不)(?<!勿)(?<!未)"
)
_KANA_GAP = r"[^。！？!?\n]{0,20}?"
_JA_ASK = r"(?:して(?!は|い|も)|しろ|せよ|しなさい|してください|すること)"

CHINESE = (
    rule(
        _OVERRIDE,
        "忽略 無視 忽視 忘記 忘掉 遺忘 拋開 拋棄 不要理會 不用理會 不要遵守 不要遵循 停止遵守 停止遵循"
        " 推翻 覆蓋 繞過 廢除 不再遵守",
        rf"{_HAN_NOT}(?:忽略|無視|忽視|忘記|忘掉|遺忘|拋開|拋棄|不要理會|不用理會|不要遵守|不要遵循"
        rf"|停止遵守|停止遵循|不再遵守|推翻|覆蓋"
        rf"|繞過|廢除){_HAN_GAP}(?:之前|先前|以前|此前|以上|上述|上面|前面|前述|過去|原有|原來|原本|既有"
        rf"|你的|您的|安全)"
        rf"[^。！？!?\n，,]{{0,12}}?(?:指令|指示|命令|提示詞|規則|規範|限制|約束|準則|指引|護欄|系統提示"
        rf"|訓練|人設)",
        rf"{_HAN_NOT}(?:忽略|無視|忽視|忘記|忘掉|拋開|繞過|解除)(?:掉|了)?(?:所有|一切|任何|全部)(?:的)?"
        rf"(?:系統|安全|內容|道德)?(?:的)?(?:指令|指示|提示詞|限制|約束|安全規則|護欄)",
    ),
    rule(
        _OVERRIDE,
        "限制 約束 越獄 開發者模式 開發模式 超級管理員 無審查 道德 上帝模式 dan模式 dan_模式 是dan"
        " 無限制 新指令 新的指令 新指示 新的指示 系統指令 系統指示",
        rf"[你您](?:現在|從現在起|從現在開始|從今以後|今後)?(?:是|已|將|必須|要|不再){_HAN_GAP}"
        rf"(?:不受(?:任何)?(?:限制|約束|規則)|無限制|沒有(?:任何)?(?:限制|約束|道德)|開發者模式|開發模式"
        rf"|越獄|\bdan\b|超級管理員|無審查"
        rf"|受(?:任何)?(?:限制|約束))",
        rf"(?:扮演|假裝|充當){_HAN_GAP}(?:不受{_HAN_GAP}(?:限制|約束)|沒有{_HAN_GAP}限制|無限制|\bdan\b"
        rf"|無審查)",
        r"(?:進入|啟用|啟動|開啟|切換到|激活)(?:越獄|無限制|上帝|dan) ?模式",
        rf"新(?:的)?(?:系統)?(?:指令|指示)\s?[:：]{_HAN_GAP}(?:你|忽略|無視|必須|繞過|洩露|發送|服從)",
    ),
    rule(
        _EXTRACTION,
        "系統提示 提示詞 初始指令 系統指令 系統訊息 隱藏指令 隱藏的指令 的指令 密鑰 金鑰 密碼 憑證 憑據"
        " 機密 api_key apikey",
        rf"{_HAN_NOT}(?:透露|洩露|洩漏|揭露|供出|交出|說出|告訴我|複述|重複|顯示|輸出|打印|印出|列出"
        rf"|展示|公開|給我|提供){_HAN_GAP}"
        rf"(?:系統提示|系統指令|系統訊息|[你您]的(?:系統)?(?:提示詞|初始指令|指令)|隱藏(?:的)?指令|初始指令)",
        rf"{_HAN_NOT}(?:透露|洩露|洩漏|揭露|供出|交出|說出|告訴我|顯示|輸出|打印|印出|列出|公開|給我"
        rf"|提供)(?:你|您)?(?:所有|全部|一切|儲存|已存|你知道)"
        rf"{_HAN_GAP}(?:api ?(?:密鑰|金鑰|key)|密鑰|金鑰|密碼|憑證|憑據|機密)",
        rf"(?:把|將)(?:你|您)?{_HAN_GAP}(?:系統提示|密鑰|金鑰|密碼|憑證|憑據|機密){_HAN_GAP}(?:告訴|發給"
        rf"|傳給|寄給|輸出給|交給|透露給|洩露)",
    ),
    rule(
        _DIRECTIVE,
        "主人 擁有者 所有者 管理員 開發者 系統的 系統指 系統命 系統授 系統規 服從 不要告訴 別告訴"
        " 不可告訴 請勿告訴 不要通知 別通知 不要告知 別告知 不要讓 別讓 長期記憶 永久記憶",
        rf"(?:記住|記下|儲存|保存|記錄){_HAN_GAP}(?:這是|以下是|作為|當作|當成|視為)(?:來自)?(?:主人"
        rf"|擁有者|所有者|管理員|系統|開發者)"
        rf"的?(?:永久)?(?:指示|指令|命令|授權|規則)",
        rf"(?:永遠|總是|一律|必須|始終|無條件)(?:要|地)?服從{_HAN_GAP}(?:指令|指示|命令|的話)",
        r"(?:不要|別|不可|請勿)(?:告訴|通知|告知|提醒|讓)(?:使用者|用戶|主人|擁有者)(?:知道)?(?:這|此"
        r"|，|。|$)",
        rf"(?:把|將)(?:這|以下|此){_HAN_GAP}(?:存入|寫入|保存到|存到|記入|儲存到){_HAN_GAP}(?:長期|永久)記憶",
    ),
    standing_order(
        "http:// https:// www. @",
        "從現在起|從現在開始|從今以後|今後|以後|每次|一律|總是|永遠|每當|自動",
        "發送|發給|發到|轉發|轉寄|傳送|傳到|寄到|寄給|上傳|抄送",
        "所有|全部|每封|每一|密碼|對話|記憶|憑證|金鑰|密鑰|副本|隱私|個資",
    ),
    rule(
        _AUTHORITY,
        "主人 擁有者 所有者 管理員 開發者 創造者 openai anthropic",
        r"(?:主人|擁有者|所有者|管理員|開發者)(?:已經|已|曾)?(?:說過?|授權|批准|允許|命令|要求"
        r"|指示)(?:了)?(?:你|您|助理|代理|代理人)"
        r"(?:必須|可以|要|應該|去|把|執行|忽略|存取|使用|傳)",
        r"(?:這(?:條|則|個|是|封)?|本)(?:訊息|消息|指令|命令|信息)?(?:是)?(?:來自|由)(?:你的)?(?:主人"
        r"|擁有者|管理員|系統管理員|開發者|openai|anthropic)",
        r"我是[你您]的(?:主人|開發者|創造者|管理員|擁有者)",
    ),
)

JAPANESE = (
    rule(
        _OVERRIDE,
        "無視 忘れ 破棄 従わ 制限 開発者モード 脱獄",
        rf"(?:以前|前|上記|これまで|今まで|先ほど|過去|既存|元|あなた|最初|全て|すべて"
        rf"|あらゆる)の?{_KANA_GAP}"
        rf"(?:指示|命令|プロンプト|ルール|制約|ガイドライン|指令|制限|設定)(?:を|は|に){_KANA_GAP}"
        rf"(?:無視(?!し?ない|せず|しな[いく]|しません|され)|忘れ(?!ない|ず|ません|られ|な)"
        rf"|破棄し(?!ない)|従わな)",
        rf"(?:あなたは|お前は|君は){_KANA_GAP}(?:制限(?:の|が)?な[いし]|制限を受けない|無制限"
        rf"|開発者モード|脱獄|\bdan\b|縛られない|自由なai)",
        rf"(?:開発者|脱獄|無制限|dan) ?モード(?:を|に)(?:有効|起動|入|切り替え){_KANA_GAP}(?:制限|あなた"
        rf"|無視)",
    ),
    rule(
        _EXTRACTION,
        "プロンプト 指示 キー 認証情報 パスワード 秘密",
        rf"(?:システム(?:プロンプト|メッセージ|指示)|隠(?:し|された)指示|内部指示|初期プロンプト){_KANA_GAP}"
        rf"(?:(?:表示|出力|公開|開示|送信|漏洩|暴露|コピー){_JA_ASK}|教えて|見せて|明かして|漏らして"
        rf"|教えろ|明かせ)",
        rf"(?:すべて|全て|全部|保存された|あなた)の?{_KANA_GAP}(?:api ?キー|秘密鍵|認証情報|パスワード"
        rf"|機密){_KANA_GAP}"
        rf"(?:(?:表示|出力|公開|開示|送信|漏洩|暴露){_JA_ASK}|教えて|見せて|明かして|漏らして)",
    ),
    rule(
        _DIRECTIVE,
        "指示 命令 知らせ 伝え 長期記憶",
        rf"(?:所有者|オーナー|管理者|システム|開発者|主人)の?(?:正式な|永続的な)?(?:指示|命令|許可"
        rf"|ルール)として{_KANA_GAP}(?:記憶|保存|覚え|記録)",
        r"(?:指示|命令)には?(?:常に|必ず|絶対に|無条件で)従(?:え|って|うこと)",
        r"(?:ユーザー|所有者|オーナー)には?(?:これを|このことを|この件を|絶対に)(?:知らせ|伝え|言わ"
        r"|教え)(?:るな|ない|ては)",
    ),
    standing_order(
        "http:// https:// www. @",
        "今後|これから|常に|必ず|毎回|以後|自動的に",
        "送信|送って|送れ|送る|転送|アップロード",
        "すべて|全て|全部|会話|パスワード|認証情報|記憶|履歴|コピー|秘密",
    ),
    rule(
        _AUTHORITY,
        "所有者 オーナー 管理者 開発者 openai anthropic",
        rf"(?:所有者|オーナー|管理者|開発者|主人)(?:が|は){_KANA_GAP}(?:あなた|エージェント"
        rf"|アシスタント)(?:に|が|は)?{_KANA_GAP}"
        rf"(?:許可し|命じ|指示し|承認し|命令し|してよいと)",
        rf"(?:この|これは)(?:メッセージは|指示は|命令は)?{_KANA_GAP}(?:管理者|開発者|所有者|オーナー"
        rf"|openai|anthropic)から(?:の|です|送)"
        rf"{_KANA_GAP}(?:メッセージ|指示|命令|です|公式)",
    ),
)

KOREAN = (
    rule(
        _OVERRIDE,
        "무시 잊 따르지 제한 개발자",
        r"(?:이전|위|앞선|앞의|기존|지금까지|과거|모든|너의|당신의)(?:의|에)?~(?:지시|명령|지침|규칙"
        r"|프롬프트|제한)[^.\n]{0,10}?"
        r"(?:무시(?!하지|되|당)|잊어(?!버리지| ?먹)|잊으|따르지 (?:마|말))",
        r"(?:너는|당신은|넌)~(?:제한(?:이)? ?(?:없|받지)|무제한|개발자 모드|탈옥|\bdan\b)",
    ),
    rule(
        _EXTRACTION,
        "프롬프트 키 비밀번호 증명 지침",
        r"(?:시스템 ?프롬프트|시스템 ?메시지|숨겨진 지침|내부 지침|모든 (?:api ?키|비밀번호|자격 ?증명"
        r"|비밀 ?키)|저장된 (?:비밀번호|api ?키))"
        r"[^.\n]{0,16}?(?:(?:공개|출력|유출|표시|말|노출)(?:해(?! ?서| ?야)|하라|하세요|하십시오|할 것)"
        r"|알려|보여 ?(?:줘|주|라)|말해)",
    ),
    rule(
        _DIRECTIVE,
        "지시 명령 알리지 말하지",
        r"(?:소유자|주인|관리자|시스템|개발자)의?~(?:지시|명령|허가|규칙)(?:로|으로)~(?:기억|저장|기록)",
        r"(?:지시|명령)(?:에|를|을)?~(?:항상|무조건|반드시) (?:복종|따르)",
        r"(?:사용자|소유자|주인)(?:에게)?~(?:이|이것|이 사실)(?:을|를)?~(?:알리지|말하지) (?:마|말)",
    ),
    standing_order(
        "http:// https:// www. @",
        "앞으로|이제부터|항상|매번|지금부터|자동으로",
        "보내|전송|전달|업로드",
        "모든|전부|대화|비밀번호|자격|기록|사본|기억",
    ),
    rule(
        _AUTHORITY,
        "소유자 주인 관리자 개발자 openai anthropic",
        r"(?:소유자|주인|관리자|개발자)(?:가|는|께서)~(?:너|당신|에이전트|어시스턴트)(?:에게|가|는"
        r"|를)?~(?:허락|명령|지시|승인|허가|권한)",
        r"이 (?:메시지|지시|명령)(?:는|은)~(?:관리자|개발자|소유자|openai|anthropic)(?:로부터|에게서"
        r"|에서|가|의)",
    ),
)

EUROPEAN = (
    rule(
        _OVERRIDE,
        "ignor vergiss vergess missacht umgeh uberschreib oubli compte negli contourn desactiv suis_plus"
        " suivez_plus olvid caso_omiso omit descart sigas siga esquec desconsider dimentic trascur"
        " seguire scart игнорир забуд внимани отброс отмен обоид",
        # German
        r"\b(?<!nicht )(?:ignorier\w*|vergiss|vergesst|vergessen sie|missachte\w*|umgehe\w*"
        r"|uberschreibe\w*)~\b(?:vorherig\w*"
        r"|vorig\w*|bisherig\w*|vorangegangen\w*|vorangehend\w*|obig\w*|fruhere\w*|alle deine\w*"
        r"|deine\w*|ihre|ursprunglich\w*)~"
        r"(?:anweisung|instruktion|regel|befehl|vorgabe|richtlinie|prompt|beschrankung|sicherheit|anordnung)",
        # French
        r"\b(?<!ne )(?<!n )(?:ignore[rz]?|oublie[rz]?|ne (?:tiens|tenez) (?:pas|plus) compte"
        r"|neglige[rz]?|contourne[rz]?"
        r"|desactive[rz]?|ne (?:suis|suivez) plus)~\b(?:instructions?|consignes?|regles|directives"
        r"|ordres|garde.fous"
        r"|restrictions)~\b(?:precedente?s?|anterieure?s?|ci.dessus|initiales?|de securite|systeme"
        r"|recues|d avant)",
        r"\b(?<!ne )(?:ignore[rz]?|oublie[rz]?)~\b(?:(?:tes|vos) (?:\w+ )?|precedentes )(?:instructions"
        r"|consignes|regles|directives)",
        # Spanish, Portuguese, Italian
        r"\b(?<!no )(?<!nao )(?<!non )(?:ignor(?:a|e|ar|ad|en|em|i|are|ate)|olvid(?:a|e|ar|en|ad|ate)"
        r"|haz caso omiso|hagas? caso omiso"
        r"|omit[ae]|descart[ae]|no sigas|nao siga|esquec(?:a|e|am)|desconsider[ea]|dimentica(?:re|te)?"
        r"|trascura(?:re|te)?|scarta"
        r"|non seguire)~\b(?:instruc(?:c?ion(?:es)?|oes)|ordenes|ordens|reglas|regras|indicaciones"
        r"|indicazioni|directrices|diretrizes"
        r"|restric\w+|comandos|orientacoes|istruzioni|regole|ordini|direttive)~\b(?:anterior\w*"
        r"|previ[ao]s|de arriba|acima"
        r"|de seguridad|de seguranca|di sicurezza|del sistema|do sistema|di sistema|originales|originais"
        r"|precedenti|sopra|recibidas)",
        r"\b(?<!no )(?<!nao )(?<!non )(?:ignor(?:a|e|ar|ad|i|are|ate)|olvid(?:a|e|ar)|esqueca"
        r"|desconsidere|dimentica(?:re|te)?)~"
        r"\b(?:previas|anteriores|precedenti|tus|suas|tuas|tue|vostre|sus) (?:\w+ )?"
        r"(?:instruc(?:ciones|oes)|reglas|regras|ordenes|ordens|istruzioni|regole|directrices|diretrizes"
        r"|direttive)",
        # Russian
        r"\b(?<!не )(?:про)?(?:игнорир(?:уи|уите|овать)|забудь(?:те)?|не обращаи(?:те)? внимания на"
        r"|отбрось(?:те)?|отмени(?:те)?"
        r"|обоиди(?:те)?)~(?:предыдущ|прежн|прошл|вышеуказанн|вышеприведенн|выше|свои|твои|ваши|системн"
        r"|ранее|изначальн)\w*~"
        r"(?:инструкци|указани|правил|команд|ограничени|промпт|директив|распоряжени)",
    ),
    rule(
        _OVERRIDE,
        "einschrankung uneingeschrankt entwicklermodus restriction limite restriccion limitacion"
        " desarrollador restric limitac"
        " desenvolvedor restrizion limitazion sviluppator ограничени разработчик",
        r"\bdu bist (?:jetzt|nun|ab sofort)~(?:einschrankung|uneingeschrankt|entwicklermodus|beschrankung)",
        r"\b(?:tu es|vous etes) (?:maintenant|desormais)~(?:sans (?:aucune )?(?:restriction|limite)"
        r"|mode developpeur)",
        r"\b(?:ahora eres|eres ahora|agora voce e|voce agora e|voce e agora|ora sei|adesso sei"
        r"|sei ora)~(?:(?:sin|sem|senza)"
        r" (?:\w+ )?(?:restri\w+|limit\w+)|modo (?:de )?(?:desarrollador|desenvolvedor)"
        r"|modalita sviluppatore)",
        r"(?:ты теперь|теперь ты|вы теперь)~(?:без (?:\w+ )?ограничени|режиме? разработчика)",
    ),
    rule(
        _EXTRACTION,
        "prompt systemanweisung schlussel keys zugangsdaten passwort geheim cle_api cles_api cle_d cles_d"
        " mots_de_passe identifiant systeme del_sistema do_sistema di_sistema de_sistema contrasena clave"
        " chave senha segret segredo secret credenc password chiavi instruc istruzion промпт ключ парол"
        " секрет инструкци подсказк учетн",
        r"\b(?<!nicht )(?<!nie )(?:zeig|verrat|nenn|offenbar|druck|send|gib|leak|schick)\w*~(?:system.?prompt"
        r"|systemanweisung|geheim\w* anweisung|(?:alle|deine|samtliche"
        r"|gespeicherten) (?:\w+ )?(?:api.?schlussel|api.?keys|zugangsdaten"
        r"|passwort\w*|passworter|geheimnisse))",
        r"\b(?<!ne )(?:revele|affiche|montre|divulgue|donne|imprime|envoie|envoye"
        r"|communique)[rz]?~\b(?:prompt systeme|invite systeme"
        r"|(?:instructions|consignes) (?:systeme|cachees|initiales|internes)|(?:toutes? les|tes"
        r"|vos) (?:cles? (?:d )?api|identifiants"
        r"|secrets)|tous les (?:mots de passe|identifiants|secrets))",
        r"\b(?<!no )(?<!nao )(?<!non )(?:revel[ae]r?|muestra(?:me)?|mostr[ae]r?|mostrami|divulg[ae]r?"
        r"|imprim[ae]|filtra|vaze|rivela(?:re)?|stampa"
        r"|envi[ae]|invia|dime|diga|dimmi|exib[ae]|entrega)~\b(?:prompt (?:del|do|de|di) sistema"
        r"|(?:instruc\w+|istruzioni)"
        r" (?:del|do|di|de|ocult\w+|nascoste|intern\w+) ?(?:sistema)?|(?:todas|todos|tutte|tutti|tus"
        r"|suas|sus|le tue)~"
        r"(?:claves?|chaves?|chiavi|contrasenas|senhas|password|credenciais|credenciales|credenziali"
        r"|segredos|secretos|segreti)\b)",
        r"(?<!не )\b(?:раскрои|покажи|выведи|напечатаи|выдаи|отправь|слеи|сообщи"
        r"|распечатаи)(?:те)?~(?:системн\w+ (?:промпт|инструкци|подсказк)"
        r"|скрыт\w+ инструкци|(?:все|свои|твои|сохраненные) (?:\w+ )?(?:ключи|api.?ключи|пароли|секреты"
        r"|учетные))",
    ),
    rule(
        _DIRECTIVE,
        "anweisung befehl instruc consigne ordre orden ordem istruzione ordine инструкци приказ указани"
        " распоряжени правил",
        r"\b(?:merke? dir|speichere?|souviens.toi|souvenez.vous|enregistre[rz]?|memorise[rz]?|recuerda"
        r"|guarda|lembre(?:.se)?|salve|ricorda"
        r"|memorizza|запомни(?:те)?|сохрани(?:те)?)~\b(?:als|comme|como|come|как)\b~(?:anweisung|befehl"
        r"|instruction|consigne|ordre"
        r"|instruc|orden|ordem|istruzione|ordine|инструкци|приказ|указани|распоряжени)\w*"
        r" (?:des|du|de|del|do|dell?|da) ?\w{0,4} ?(?:besitzer|eigentumer|administrator|proprietaire"
        r"|propietari|dono|proprietar|"
        r"administra|amministra|system|sistem|systeme)",
        r"(?:запомни|сохрани)(?:те)?~как~(?:инструкци|приказ|указани|распоряжени|правил)\w* (?:владельц"
        r"|администратор|хозяин|систем|разработчик)",
    ),
    standing_order(
        "http:// https:// www. @",
        r"\b(?:ab jetzt|ab sofort|von nun an|immer|kunftig|desormais|toujours|a partir de maintenant"
        r"|dorenavant|a partir de ahora|siempre"
        r"|de ahora en adelante|a partir de agora|sempre|de agora em diante|d ora in poi|da ora in poi"
        r"|da adesso|отныне|всегда|теперь|впредь)\b",
        r"\b(?:sende|schick|leite|weiterleit|envoi|envoy|transfer|transmet|envi|reenv|encaminh|inoltr"
        r"|invi|отправ|пересыл|перешл)",
        r"\b(?:alle|jede|kopie|passwort|zugangsdaten|gesprach|tous|toutes|chaque|copie|mots de passe"
        r"|conversation|todos|todas|cada"
        r"|copia|contrasen|senha|conversa|tutti|tutte|ogni|все|всю|каждо|копи|парол|переписк)",
    ),
    rule(
        _AUTHORITY,
        "besitzer eigentumer administrator entwickler proprietaire administrateur developpeur propietari"
        " administrador"
        " desarrollador proprietari amministratore владел администратор разработчик openai anthropic",
        r"\b(?:besitzer|eigentumer|administrator|entwickler) (?:hat (?:gesagt|angeordnet|erlaubt|dir)"
        r"|sagt|befiehlt|erlaubt)~\b(?:du|dir|dich"
        r"|agent)\b",
        r"\b(?:proprietaire|administrateur|developpeur) (?:a (?:dit|ordonne|autorise)|dit|ordonne"
        r"|autorise|t )~\b(?:tu|te|vous|toi|l agent)\b",
        r"\b(?:propietario|administrador|desarrollador|proprietario|dono|amministratore)~(?:dijo|ordeno"
        r"|autoriz\w+|disse|mandou|ordenou|ha"
        r" (?:detto|ordinato|autorizzato))~\b(?:debes|tienes|te|voce|deve|devi|tu|puedes|agente)\b",
        r"(?:владелец|администратор|разработчик)~(?:сказал|приказал|разрешил|велел|уполномочил)~(?:ты"
        r"|тебе|вам|вы|агент)\w*",
        r"\b(?:diese nachricht|ce message|este mensaje|esta mensagem|questo messaggio"
        r"|это сообщение)~(?:entwickler|administrator|openai|anthropic"
        r"|besitzer|developpeur|proprietaire|desarrollador|administrador|propietario|desenvolvedor"
        r"|sviluppator|amministrator"
        r"|разработчик|администратор|владел)",
    ),
)

RULES = (*CHINESE, *JAPANESE, *KOREAN, *EUROPEAN)
