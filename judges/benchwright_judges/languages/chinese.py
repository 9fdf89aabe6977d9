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
        answer_fields=("答案", "最终答案", "正确答案"),
        other_fields=("选项", "选择", "判断", "结论"),
        refusal=r"无法(?:回答|确定|判断|提供)|抱歉|对不起|不知道|不能(?:回答|确定|提供)",
        correction=r"不对[,，]|等等|更正|应该改为|(?:^|[。.…,，;；!?\n—]\s{0,9})不[,，]\s*(?=(?:应该?)?(?:是|选)?<SAID>)|不对[。.]\s*(?=应)",
        denial=r"不|非|没|别|错误|排除|除了|有人|可能|以为|都",
        condition=r"如果|假设|假如|若|是否|还是|无法",
        taken_back=r"(?:选项|项)?\s*(?:是|都|也|均)?\s*(?:错|不对|不正确|不是|不能|不符|有误|不选)",
        conclusion=r"因此|所以|故|但|应",
        final=r"最终|综上|最后|总之",
    ),
    true_false=TrueFalse(
        true=("正确", "对", "真", "无误"),
        false=("并不正确", "不正确", "不对", "错误", "错", "假", "有误"),
        true_alone=("是", "是的", "没错", "对的", "√"),
        false_alone=("非", "不是", "否", "×"),
        value_suffix="的",
        negations=r"(?:不|并不|没有?|并非|无)",
        either=r"或|还是|和",
        because=r"因为|由于",
        label=r"(?:最终|正确)?答案(?:是|为)?|判断(?:结果)?(?:为|是)?|结论|【答案】",
        says=(
            rf"(?:答案|判断|结论)\s*】?\s*(?:应该?)?(?:是|为|:|=){{0,2}}\s*<VALUE>{_END_OF_PHRASE}",
            r"(?:(?:这个|该|此|题目|题干|上述)?(?:说法|命题|陈述|描述|表述|句话|题目|论断|观点)|这|此题|该题|本题)"
            rf"\s*(?:应该?)?(?:是|为)?\s*<VALUE>{_END_OF_PHRASE}",
            rf"(?:我认为|我觉得|所以|因此)[,，]?\s*(?:是|为)?\s*<VALUE>{_END_OF_PHRASE}",
        ),
    ),
    choices=Choices(
        nouns="(?:最终|正确|最佳)?答案|选项?|项",
        copulas="是|为|选择?|应为|应该是",
        joins="或者?|和|及|与|还是",
        because="因为|由于",
        says=(
            r"答案\s*】?\s*(?:应该?|就|选择?)?\s*(?:是|为|选择?|:|=|→){0,2}\s*[(]?(?:选项)?\s*<A>",
            r"(?:应该?|故|所以|因此|我|本题|此题|综上)[^\n。<]{0,8}?选(?:择|项)?\s*(?:答案|选项|项)?\s*(?:为|:)?\s*<A>",
            r"正确(?:的)?(?:答案|选项|说法|描述|的是)?\s*(?:应该?)?(?:是|为|:)\s*(?:选项)?\s*<A>",
            r"(?:^|[,，。:：\s])(?:应|应该)?选(?:择|项)?\s*(?:答案|选项|项)?\s*<M><STOP>",
            r"<M>\s*(?:选项|项)?\s*(?:是|为)\s*(?:最)?(?:正确|佳|好)(?:的)?(?:答案|选项)",
            r"(?:我认为|我觉得|应该|应)\s*(?:答案)?(?:是|为|选)\s*(?:选项)?\s*<A>",
            r"(?:^|[,，。;；…\s])(?:不[,，]\s*)?是\s*<M><STOP>",
        ),
        holds=(
            r"<M>\s*(?:选项|项)?\s*(?:是|为)?\s*最?正确",
            r"<M>\s*(?:选项|项)?\s*(?:是|为)?\s*对的",
            r"<M>\s*(?:选项|项)?\s*符合(?:题意|要求)",
        ),
        first_of=(r"<M>\s*[,，]?\s*(?:而)?不(?:是|选)\s*<M>",),
        second_of=(r"不(?:是|选)\s*<M>\s*[,，]?\s*而?(?:是|选)\s*<M>",),
    ),
    short_text=ShortText(
        lead=r"(?:(?:最终)?(?:正确)?答案\s*(?:是|为|:|：)\s*[:：]?|【答案】|应填)",
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
