"""Chinese."""

from __future__ import annotations

from benchwright_judges.languages.language import AnswerLanguage, AnswerWords, LanguageWording

CHINESE = AnswerLanguage(
    code="zh",
    name="Simplified Chinese",
    unspaced_character_ranges="\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f",
    wording=LanguageWording(
        system="你是计算机科学与硬件设计方面的专家，正在参加一场考试。",
        choose="只有一个选项正确，X 是该选项的字母。",
        choose_several="有一个或多个选项是对的。X 是所有正确选项的字母，例如 AC。",
        decide="这个说法对不对？X 是“正确”或“错误”。",
        fill="X 是空白处应填的内容：只写词语，或数字及其单位。",
        explain="请用几句话清楚地回答。",
        answer="请只用一行回答：`{line}`。",
        steps_request="请先一步一步地思考。最后以这一行结束回答：`{line}`。",
        true="正确",
        false="错误",
    ),
    words=AnswerWords(
        answer_labels=r"(?:我的|最终|正确)?答案(?:是|为)?|【答案】|答",
        sentences=(
            r"(?:因此|所以|故|综上)?[,，]?(?:最终|正确|本题)?(?:的)?(?:答案|选项)(?:应该)?(?:是|为|选)[:：]? ?<X>",
            r"(?:因此|所以|故|综上)[,，]?(?:本题)?选(?:择)? ?<X>",
            r"(?:因此|所以|故|综上)?[,，]?(?:这个|该|此|这一)?(?:说法|命题|陈述|论断)(?:是)?<X>",
        ),
        picks=r"选择?<X>",
        nouns=r"选项|选择?|答案",
        true=r"正确|正确的|对|对的|真|√|成立",
        false=r"错误|错误的|错|错的|假|不正确|不对|不成立|×",
        negations=r"不|没|非|无",
        doubts=r"等等|等一下|更正|改|但|然而|其实|抱歉|可能|也许|大概|猜|都|说错|写错|部分|仅",
        conditions=r"如果|若|假如|假设",
        refusal=r"无法(?:回答|确定|判断|提供)|抱歉|对不起|不知道|不能(?:回答|确定|提供)|不清楚",
        questions=r"(?:题目|问题|问|判断题) ?\d*",
        fields=r"答案|最终答案|正确答案|选项",
        joins=r"和|与|及",
        asks_in=r"多少(?:个)?|单位(?:是|为|:|：)?|以",
    ),
    units={
        "b": "位|比特|bit位",
        "set": "组|个组",
        "line": "行|块|个块",
        "entry": "项|个表项|表项",
        "word": "字|个字",
        "page": "页|个页",
        "cycle": "个周期|周期|个时钟周期|时钟周期",
        "instruction": "条指令|指令",
        "B": "字节",
        "s": "秒",
        "min": "分钟",
        "h": "小时",
        "ms": "毫秒",
        "us": "微秒",
        "ns": "纳秒",
        "x": "倍",
        "way": "路",
        "stage": "级",
    },
)
