"""Chinese."""

from __future__ import annotations

from benchwright_judges.languages.language import (
    AnswerLanguage,
    Choices,
    Discourse,
    Numbers,
    ShortText,
    TrueFalse,
    Wording,
)

# "这对性能有影响" judges nothing.
_END_OF_PHRASE = r"(?:的)?(?=\s*(?:[,.;:!。，；：！)]|$|因|由于))"

CHINESE = AnswerLanguage(
    code="zh",
    unspaced="\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f",
    wording=Wording(
        system="你是计算机科学与硬件设计方面的专家，正在参加一场考试。",
        choose="只有一个选项是对的。请只回答它的字母。",
        decide="这个说法对不对？请只回答“正确”或“错误”。",
        fill="请只回答空白处应填的内容。",
        explain="请用几句话清楚地回答。",
        think="请先一步一步地思考。最后另起一行，以“{marker}”开头，只写答案。",
        marker="答案：",
        true="正确",
        false="错误",
    ),
    discourse=Discourse(
        answer_fields=("答案",),
        refusal=r"无法(?:回答|确定|判断|提供)|抱歉|对不起|不知道|不能(?:回答|确定|提供)",
        correction=r"不对[,，]|等等|更正|应该改为",
        denial=r"不|非|没|别|错误|排除|除了",
        condition=r"如果|假设|假如|若|是否",
        taken_back=r"是?(?:错|不对|不正确|不是|不能)",
        conclusion=r"最终|因此|所以|综上|故|最后",
    ),
    true_false=TrueFalse(
        true=("正确", "对", "真"),
        false=("不正确", "不对", "错误", "错", "否", "假"),
        true_alone=("是",),
        false_alone=("非", "不是"),
        value_suffix="的",
        negations=("不",),
        either=r"或",
        because=r"因为",
        label=r"答案",
        says=(
            rf"(?:答案|判断|结论)\s*(?:应该)?(?:是|为|:|=){{1,2}}<VALUE>{_END_OF_PHRASE}",
            r"(?:(?:这个|该|此|题目|题干|上述)?(?:说法|命题|陈述|描述|表述|句话|题目|论断|观点)|这|此题|该题|本题)"
            rf"\s*(?:应该)?(?:是|为)?<VALUE>{_END_OF_PHRASE}",
        ),
    ),
    choices=Choices(
        label=r"(?:最终)?答案|选项?",
        joins=r"或|和",
        also=r"或者?|和|及|与",
        because=r"因为",
        because_first=r"[,，]?因为",
        own_sentence=r"\s*(?:是|不|错)",
        dismissal=r"错",
        dismissal_later=r"错误|不正确|不对",
        says=(
            r"答案\s*(?:应该|应|就|选择?)?\s*(?:是|为|选择?|:|=){0,2}\s*(?:选项)?<LETTER>",
            r"(?:应该?|故|所以|因此|我|本题|此题)[^\n。]{0,6}选(?:择|项)?\s*(?:答案|选项|项)?<CAPITAL>",
            r"正确(?:的)?(?:答案|选项|说法|描述|的是)?\s*(?:应该)?(?:是|为|:)\s*(?:选项)?<CAPITAL>",
            r"(?:^|[,，。\s])选(?:择|项)?\s*(?:答案|选项|项)?<CAPITAL><STOP>",
            r"<FIRST>\s*(?:选项|项)?\s*(?:是|为)?\s*最?正确",
            r"<FIRST>\s*(?:选项|项)?\s*(?:是|为)?\s*对的",
        ),
    ),
    short_text=ShortText(
        lead=r"(?:最终)?(?:正确)?答案\s*(?:是|为|:|：)\s*[:：]?",
        list_joins=("和", "与", "及"),
        punctuation="「」『』《》〈〉【】。、，；：！？",
    ),
    numbers=Numbers(
        byte_words=("字节",),
        bit_words=("位", "比特"),
        unit_words={"秒": "s", "分钟": "min", "小时": "h", "毫秒": "ms", "微秒": "us", "纳秒": "ns"},
        seconds_behind_slash=("秒",),
        asks_in=r"单位(?:是|为|:|：)?|以",
    ),
)
