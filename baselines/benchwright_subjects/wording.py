"""How a question is asked, in each language that the question sets have. The words are ours, the formats theirs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from benchwright_problems.problem import Answer, QuestionFormat


@dataclass(frozen=True)
class Wording:
    """What is said in one language."""

    system: str
    choose: str
    """Asks for a letter."""
    decide: str
    """Asks for true or false."""
    fill: str
    explain: str
    """Asks for an open answer."""
    think: str
    """Asks for steps before the answer; `{marker}` stands for the word that the answer follows."""
    marker: str
    true: str
    false: str

    def task(self, style: QuestionFormat) -> str:
        """How to answer a question of a format."""
        match style:
            case QuestionFormat.MULTIPLE_CHOICE:
                return self.choose
            case QuestionFormat.ASSERTION:
                return self.decide
            case QuestionFormat.FILL_IN_THE_BLANK:
                return self.fill
            case _:
                return self.explain

    def key(self, style: QuestionFormat, answer: Answer) -> str:
        """An answer key as somebody who is asked so would write it."""
        if style is QuestionFormat.ASSERTION:
            return self.true if answer.value == "true" else self.false
        return answer.value


_ENGLISH = Wording(
    system="You are an expert in computer science and hardware design who takes an examination.",
    choose="One choice is right. Reply with its letter alone.",
    decide="Is this statement right? Reply with True or False alone.",
    fill="Reply with what belongs into the blank, and nothing else.",
    explain="Answer in a few clear sentences.",
    think="First think it through step by step. Then end with one line that begins with `{marker}` and holds only the"
    " answer.",
    marker="Answer:",
    true="True",
    false="False",
)
_CHINESE = Wording(
    system="你是计算机科学与硬件设计方面的专家，正在参加一场考试。",
    choose="只有一个选项是对的。请只回答它的字母。",
    decide="这个说法对不对？请只回答“正确”或“错误”。",
    fill="请只回答空白处应填的内容。",
    explain="请用几句话清楚地回答。",
    think="请先一步一步地思考。最后另起一行，以“{marker}”开头，只写答案。",
    marker="答案：",
    true="正确",
    false="错误",
)
_FRENCH = Wording(
    system="Vous êtes spécialiste d'informatique et de conception de circuits, et vous passez un examen.",
    choose="Une seule proposition est juste. Répondez par sa lettre seule.",
    decide="Cette affirmation est-elle juste ? Répondez seulement par Vrai ou Faux.",
    fill="Répondez par ce qui doit remplir le blanc, et rien d'autre.",
    explain="Répondez clairement en quelques phrases.",
    think="Réfléchissez d'abord étape par étape. Terminez par une ligne qui commence par « {marker} » et ne contient"
    " que la réponse.",
    marker="Réponse :",
    true="Vrai",
    false="Faux",
)
_GERMAN = Wording(
    system="Sie sind Fachkraft für Informatik und Hardware-Entwurf und legen eine Prüfung ab.",
    choose="Genau eine Antwort ist richtig. Antworten Sie nur mit ihrem Buchstaben.",
    decide="Stimmt diese Aussage? Antworten Sie nur mit Wahr oder Falsch.",
    fill="Antworten Sie nur mit dem, was in die Lücke gehört.",
    explain="Antworten Sie klar in wenigen Sätzen.",
    think="Überlegen Sie zuerst Schritt für Schritt. Schließen Sie mit einer Zeile, die mit „{marker}“ beginnt und nur"
    " die Antwort enthält.",
    marker="Antwort:",
    true="Wahr",
    false="Falsch",
)
LANGUAGES: Mapping[str, Wording] = {"en": _ENGLISH, "zh": _CHINESE, "fr": _FRENCH, "de": _GERMAN}


def wording(language: str) -> Wording:
    """The words of a language, English where there are none of it."""
    return LANGUAGES.get(language, _ENGLISH)
