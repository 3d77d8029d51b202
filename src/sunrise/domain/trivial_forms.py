"""
The forms of prompts that ask for nothing: greetings, farewells, acknowledgements, faces made of letters.

Single words that :func:`sunrise.domain.turns.says_something` knows are not said again. Chinese stands in one
script, since both are folded to one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

GREETING: Final = "greeting"
FAREWELL: Final = "farewell"
ACKNOWLEDGEMENT: Final = "acknowledgement"
EMOJI: Final = "emoji"

PARTS: Final = frozenset({"i", "it", "see", "on", "got", "you", "ahead", "thank", "ano", "ne", "de", "que"})
"""Words that acknowledge as a prompt of their own, or in a phrase, and not beside other words."""

PARTICLES: Final = "的了啊吧呀啦喔哦噢囉咯嘞咧哈呢嘛耶唷哟欸滴哒"
"""What Chinese puts behind an acknowledgement."""

NODS: Final = "嗯恩唔哦喔噢欸诶好行对"
"""Single characters that nod in any number and order: 嗯好."""

_ENDINGS = """
man mate bro dude buddy pal guys folks team everyone all sir friend then too der
です ですね っす だよ だね よ ね でーす 요 이요 입니다 이에요 예요
"""
ENDINGS: Final = frozenset(_ENDINGS.split())
"""What stands behind a form and adds nothing: whom it is said to, or the end of a sentence."""

_GREETINGS = """
hi, hello, hey, hiya, heya, howdy, yo, sup, gm, greetings, ping, hallo, ahoj, hola, bonjour, salut, ciao
namaste, hi there, hello there, hey there, hi all, hi everyone, hello everyone, hey everyone, hey all
hi again, hello again, hi folks, hi team, hey guys, hey man, hey buddy, hey bot, hi bot, hello bot
hello world, good morning, good afternoon, good evening, good day, morning, afternoon, evening
morning everyone, good morning everyone, what's up, whats up, wassup, how are you, how are you doing
how are you today, how's it going, hows it going, how is it going, how are things, how do you do
nice to meet you, good to see you, are you there, you there, anyone there, anybody there, is anyone there
i'm back, i am back, im back, guten morgen, guten tag, buenos días, buenas tardes, dobrý den
你好, 您好, 你们好, 大家好, 大家早, 大家早安, 大家晚安, 各位早安, 各位好, 哈囉, 哈罗, 哈啰, 哈喽, 嗨, 嘿, 喂
安安, 早, 早安, 早上好, 上午好, 中午好, 下午好, 午安, 晚上好, 你好吗, 您好吗, 最近好吗, 在吗, 在么, 在不在
在嘛, 你在吗, 您在吗, 有人吗, 有人在吗, 好久不见, 我回来了, 很高兴认识你, 吃了吗, 吃饱没
こんにちは, こんにちわ, こんちは, こんちわ, ちわ, こんばんは, こんばんわ, おはよう, おはよ
おはようございます, お早うございます, おっす, おす, やあ, やっほ, ハロ, ハイ, もしもし, はじめまして
初めまして, よろしく, よろしくお願いします, よろしくお願いいたします, 宜しくお願いします
宜しくお願いいたします, お世話になっております, お世話になります, ただいま, お久しぶり, お久しぶりです, 元気
元気ですか, いますか
안녕, 안녕하세요, 안녕하십니까, 안뇽, 하이, 하이요, 헬로, 헬로우, 여보세요, 반가워, 반가워요, 반갑습니다
좋은 아침, 좋은 아침이에요, 좋은 아침입니다, 좋은 저녁이에요, 오랜만이에요, 오랜만입니다, 처음 뵙겠습니다
잘 지냈어요, 계세요
"""

_FAREWELLS = """
bye, goodbye, good bye, bye bye, byebye, bye for now, see you, see ya, cya, see you later, catch you later
see you soon, see you tomorrow, talk to you later, talk later, later, laters, ttyl, take care, good night
goodnight, night night, gn, have a good day, have a nice day, have a great day, have a good night
have a good weekend, have a nice weekend, have a until next time, until tomorrow, gotta go, gtg, brb
tschüss, adiós, ciao ciao, au revoir
再见, 拜拜, 掰掰, 掰, 明天见, 回头见, 待会见, 晚点见, 下次见, 改天聊, 晚安, 好梦, 先这样, 我先走, 先走, 先下
さようなら, さよなら, またね, またあした, また明日, じゃあね, じゃね, じゃあまた, ではまた, バイバイ
おやすみ, おやすみなさい, お休みなさい, お疲れ, お疲れ様, お疲れさま, お疲れ様です, お疲れさまです
お疲れ様でした, お疲れさまでした, おつかれ, おつ, お先に失礼します, 失礼します, いってきます, 行ってきます
잘 자, 잘 자요, 잘자, 잘자요, 안녕히 주무세요, 안녕히 계세요, 안녕히 가세요, 잘 가, 잘 가요, 잘가, 바이
바이바이, 내일 봐요, 내일 봐, 다음에 봐요, 또 봐요, 수고, 수고하세요, 수고하셨습니다, 수고했어, 수고했어요
"""

_ACKNOWLEDGEMENTS = """
got it, got that, i see, i got it, i know, i agree, i understand, me too, go on, go ahead, go for it, do it
thank you, thank you so much, thank you very much, thank you all, thank u, thankyou, tysm, tyvm, many thanks
thanks a lot, thanks so much, thanks very much, thanks again, thanks a million, thanks a bunch, thanks a ton
thank you again, thank you kindly, thx a lot, thx so much, much appreciated, much obliged, tks, ta
that helps, that helped, it helps, helpful, very helpful, that's helpful, appreciate it, i appreciate it
appreciated, okey, okie, oki, okee, okie dokie, oki doki, okie doki, okey dokey, okay then, ok then, alright
alrighty, all right, aight, kay, alright then, roger, roger that, copy, copy that, understood, noted
well noted, acknowledged, ack, agreed, deal, will do, sounds good to me, looks good to me, lgtm, makes sense
that makes sense, that works, fair enough, fair, well done, good to know, good to hear, great to hear
glad to hear it, that's great, that's good, that's fine, that's right, that's it, that's all, that's correct
that is correct, that is all, it's fine, it's ok, it's okay, that's ok, that's okay, all good, very good
very nice, very well, so good, pretty good, not bad, i'm good, we're good, we are good, same, same here
yes please, yes sir, yes it is, yes i do, yes do it, yes go ahead, no thanks, no thank you, no need, not now
not yet, no problem, no problem at all, good to go, noted with thanks, no problemo, no worries, no biggie
np, nw, nvm, never mind, nevermind, forget it, my pleasure, you're welcome, you are welcome, youre welcome
welcome, yw, don't worry, of course, ofc, sure thing, for sure, absolutely, definitely, certainly, indeed
totally, correct, exactly right, quite right, right on, awesome, amazing, excellent, wonderful, fantastic
brilliant, lovely, sweet, neat, superb, terrific, impressive, magnificent, marvelous, splendid, outstanding
beautiful, super, bravo, congrats, congratulations, hooray, hurray, wow, woah, whoa, woo, yay, yup yup
yessir, ya, oh, ooh, ah, aah, aha, ahh, ohh, uh, um, er, eh, uh huh, uhuh, mhm, mm, mmm, mmhm, m, w, ha, he
heh, hehe, hihi, lmao, lmfao, rofl, oops, whoops, sorry, my bad, my mistake, i'm sorry, oh ok, oh okay
oh i see, oh nice, ah ok, ah i see, oh no, proceed, please proceed, carry on, keep going, keep it up
keep up the please do, please continue, please go ahead, continue please, keep up the you rock
you're the best, you are the best, you're awesome, you are awesome, love it, i love it, like it, i like it
perfect thanks, it works, it worked, that worked, works, nudge, bump, gg, vielen dank, danke schön
danke sehr, alles klar, genau, bitte, super danke, merci beaucoup, d'accord, très bien, muchas gracias, vale
claro, perfecto, bueno, obrigado, obrigada, grazie, va bene, jasně, dobře, super díky, děkuju, spasibo
спасибо, да, нет, хорошо, ок, ладно, понятно, понял, cảm ơn, terima kasih
不好意思, 谢, 谢你, 谢谢你, 谢谢您, 谢谢大家, 谢谢你们, 感谢你, 感谢您, 多谢你, 十分感谢, 非常感谢
非常感谢你, 很感谢, 太感谢, 太谢谢, 谢谢帮忙, 谢谢你的帮忙, 谢谢你的帮助, 感恩, 感激不尽, 辛苦, 辛苦你, 麻烦
麻烦你, 拜托, 拜托你, 没问题, 没有问题, 没关系, 没差, 没有, 不客气, 不谢, 不用谢, 不会, 不用客气, 别客气
不必, 不需要, 先不用, 暂时不用, 太好, 太棒, 很好, 非常好, 很棒, 真棒, 真好, 挺好, 蛮好, 还好, 还可以, 不错
不错不错, 很不错, 赞, 超赞, 很赞, 棒, 完美, 厉害, 太厉害, 真厉害, 优秀, 牛, 牛逼, 给力, 就这样, 就这样吧
就酱, 那就这样, 这样就好, 这样可以, 没错, 正确, 当然, 当然可以, 确认, 确定, 同意, 赞成, 支持, 原来如此
原来是这样, 是这样, 这样子, 我知道, 我明白, 我懂, 我了解, 懂, 清楚, 清楚了, 理解, 遵命, 得嘞, 妥, 妥妥, 收
好嘛, 好哒, 好滴, 恩, 唔, 嗯哼, 噢, 哦哦, 喔喔, 呵呵, 嘿嘿, 嘻嘻, 哈, 呵, 笑死, 哇, 哇塞, 天啊, 算了, 请继续
接着说, 接着, 往下, 往下说, 开始吧, 来吧, 去吧, 做吧, 真的, 真的吗, 是吗, 是喔, 对对, 对呀, 就是, 有道理
抱歉, 对不起, 没错没错, 恭喜, 加油, 已收到, 已阅, 已读, 朕知道
いえ, いや, ううん, ええ, うん, うんうん, そう, そうです, そうですね, そうだね, そうか, そうなんだ, そっか
そうなんですね, なるほど, なるほどです, なるほどね, なるほどですね, 了解です, 了解しました, 了解いたしました
了解致しました, 了解っす, りょ, りょうかい, りょかい, りょうかいです, 承知, 承知です, 承知しました
承知いたしました, 承知致しました, かしこまりました, わかりました, 分かりました, 判りました, わかった
分かった, わかったよ, 分かったよ, わかってる, わかります, オッケ, オケ, オッケです, おけ, おっけ, おk
ありがとう, ありがと, あざす, あざっす, ありがとうございます, ありがとうございました, 有難う
有難うございます, 有り難うございます, ありがとうね, どうも, どうもありがとう, どうもありがとうございます
どうもです, 本当にありがとう, 本当にありがとうございます, 本当にありがとうございました, サンキュ, 感謝します
感謝です, 大丈夫, 大丈夫です, 問題ない, 問題ないです, 問題なし, 問題ありません, いいね, いいですね, いいよ
いいです, 良いです, 良いですね, 良い, よし, よっし, すごい, すごいね, すごいですね, すげえ, さすが
さすがです, 素晴らしい, すばらしい, 素晴らしいです, 最高, 最高です, 完璧, 完璧です, いい感じ, いい感じです
お願い, お願いします, お願いいたします, お願いね, おねがい, おねがいします, 続けて, 続けてください, どうぞ
進めて, 進めてください, 続行, 結構です, 構いません, すみません, すいません, ごめん, ごめんね, ごめんなさい
申し訳ありません, 助かる, 助かります, 助かりました, へえ, ほう, ふむ, ふむふむ, おお, ああ, あ, 笑, 草
その通り, その通りです, もちろん, もちろんです, 確かに, 確認しました, どういたしまして, 嬉しい, 嬉しいです
やった, おめでとう, 頑張って, 頑張ってください, がんばって, ファイト
넵, 넹, 넴, 네네, 넵넵, 응, 웅, 어, 엉, 음, 아, 오, 와, 우와, 와우, 그래, 그래요, 그렇군, 그렇군요, 그렇구나
그러네, 그러네요, 그렇죠, 그럼요, 알겠습니다, 알겠어, 알겠어요, 알았어, 알았어요, 알았습니다, 알겠음, 확인
확인했습니다, 확인했어요, 확인했어, 확인 완료, 감사, 감사합니다, 감사해요, 감사드립니다, 감사합니당
대단히 감사합니다, 정말 감사합니다, 너무 감사합니다, 고마워, 고마워요, 고맙습니다, 정말 고마워
정말 고마워요, 정말 고맙습니다, 너무 고마워, 땡큐, 쌩큐, 좋아, 좋아요, 좋습니다, 좋네, 좋네요, 아주 좋아요
너무 좋아요, 오케이, 오키, 오케, 오키오키, 콜, 굿, 굳, 굿굿, 괜찮아, 괜찮아요, 괜찮습니다, 아니, 아니요
아니오, 아뇨, 아냐, 아니야, 맞아, 맞아요, 맞습니다, 맞네요, 물론, 물론이죠, 물론입니다, 당연하지, 당연하죠
최고, 최고예요, 최고입니다, 대박, 멋져요, 멋지네요, 훌륭해요, 훌륭합니다, 잘했어, 잘했어요, 잘하셨습니다
계속, 계속해, 계속해요, 계속해줘, 계속해 주세요, 계속해주세요, 계속 진행해, 진행해, 진행해줘, 진행해 주세요
진행해주세요, 부탁해, 부탁해요, 부탁드려요, 부탁드립니다, 잘 부탁드립니다, 이해했습니다, 이해했어요
이해했어, 천만에요, 별말씀을요, 죄송합니다, 죄송해요, 미안, 미안해, 미안해요, 미안합니다, 축하해요
축하합니다, 화이팅, 파이팅, ㅇㅋ, ㅇㅇ, ㄴㄴ, ㅋ, ㅋㅋ, ㅎ, ㅎㅎ, ㅠ, ㅠㅠ, ㅜ, ㅜㅜ, ㄱㅅ, ㄳ, ㄱㄱ, ㄹㅇ
ㅊㅋ, ㅅㄱ, ㄷㄷ, 헐, 하하, 히히, 호호
"""

_PAIRS = (
    (
        "good, great, nice, excellent, awesome, amazing, fantastic, wonderful, brilliant, perfect, solid",
        "job, work, stuff, one, idea, point, news, call, thinking, answer, explanation, summary, thanks",
    ),
    (
        "sounds, looks, seems, that sounds, that looks, it looks, this looks, all looks",
        "good, great, perfect, fine, ok, okay, right, nice, awesome, excellent, correct, reasonable",
    ),
    (
        "thanks for, thank you for, thx for, cheers for",
        "that, this, it, everything, your help, the help, the info, the update, sharing, letting me know",
    ),
    ("fine, ok, okay, good, cool, works", "by me, with me, for me"),
)
"""Forms of two parts, each of the first with each of the second."""

_FACES = "xd, qq, orz, otz, uwu, owo, o o, t t, q q, u u, v v"


def forms() -> Mapping[str, str]:
    """Return each form as it is written above, with its kind."""
    said = {form: kind for kind, text in _TEXTS for form in _split(text)}
    return MappingProxyType(dict.fromkeys(_pairs(), ACKNOWLEDGEMENT) | said)


_TEXTS = (
    (ACKNOWLEDGEMENT, _ACKNOWLEDGEMENTS),
    (EMOJI, _FACES),
    (FAREWELL, _FAREWELLS),
    (GREETING, _GREETINGS),
)


def _split(text: str) -> Iterator[str]:
    for line in text.strip().splitlines():
        yield from (form.strip() for form in line.split(","))


def _pairs() -> Iterator[str]:
    for first, second in _PAIRS:
        yield from (f"{one} {two}" for one in _split(first) for two in _split(second))
