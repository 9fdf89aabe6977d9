"""French."""

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

FRENCH = AnswerLanguage(
    code="fr",
    wording=Wording(
        system="Vous êtes spécialiste d'informatique et de conception de circuits, et vous passez un examen.",
        choose="Une seule proposition est juste. Répondez par sa lettre seule.",
        decide="Cette affirmation est-elle juste ? Répondez seulement par Vrai ou Faux.",
        fill="Répondez par ce qui doit remplir le blanc, et rien d'autre.",
        explain="Répondez clairement en quelques phrases.",
        think="Réfléchissez d'abord étape par étape. Terminez par une ligne qui commence par « {marker} » et ne"
        " contient que la réponse.",
        marker="Réponse :",
        true="Vrai",
        false="Faux",
    ),
    discourse=Discourse(
        answer_fields=("réponse",),
        refusal=r"\bje\s+ne\s+(?:peux|sais|suis)\s+pas|\bd[ée]sol[ée]|\bimpossible\s+de\s+r[ée]pondre",
        correction=r"\bnon,?\s+attende[zs]\b|\bnon,?\s+attends\b|\ben\s+fait\b|\bje\s+me\s+corrige\b",
        denial=r"\bn'(?:est|es|était)\b|\bpas\b|\bjamais\b|\bfausse?\b|\bincorrecte?\b|\bsauf\b|\bni\b",
        condition=r"\bsi\b|\bsupposons\b",
        unreal=r"\bserait\b",
        taken_back=r"(?:est|serait)\s+(?:fausse?|incorrecte?|erron)|n'est\s+pas|n'est\b",
        conclusion=r"\bdonc\b|\bainsi\b|\bpar\s+cons[ée]quent\b|\ben\s+conclusion\b|\bfinale\b",
    ),
    true_false=TrueFalse(
        true=("vrai", "vraie", "oui", "exact", "exacte", "correcte", "juste"),
        false=("faux", "fausse", "non", "inexact", "inexacte", "incorrecte"),
        negations=("pas",),
        negations_alone=("pas",),
        either=r"\bou\b|\bet\b",
        because=r"\bcar\b",
        clause_starts="car|parce|puisque|et",
        label=r"r[ée]ponse",
        says=(
            r"\b(?:r[ée]ponse|affirmation|assertion|proposition|[ée]nonc[ée]|phrase)[\s*_`\"]{0,4}"
            r"(?:(?:(?P<not_before>n'est)|est|serait|:|=)[\s*_`]{0,4}){1,2}(?:donc\s+|en\s+fait\s+)?"
            r"<NOT><VALUE><STOP>",
            r"\bc(?P<not_before>e\s+n)?'est\s+<NOT><VALUE><STOP>",
        ),
    ),
    choices=Choices(
        label=r"r[ée]ponse",
        option_nouns=("réponse",),
        either=r"soit",
        joins=r"\bet\b|\bou\b",
        also=r",\s*(?:et|ou)|\b(?:ou|et)\b",
        because=r"car\b",
        because_first=r",?\s+(?:car|parce)\b",
        predicates="est|car|et|ou|parce|puisque",
        adverbials="pour|dans|donc|selon|ici",
        own_sentence=r"\s+est\b",
        dismissal=r"faux|fausse",
        dismissal_later=r":\s*(?:faux|fausse)\b|\best\s+(?:fausse?|incorrecte?)|\bn'est\s+pas\b",
        says=(
            r"\b(?:r[ée]ponse|choix|option|solution|lettre)(?:\s+(?:correcte?|exacte?|juste|finale))?[\s*_`]{0,4}"
            r"(?:(?:est|serait|doit\s+[êe]tre|:|=)[\s*_`]{0,4}){1,2}(?:(?:la|le)\s+|l')?(?:(?:option|r[ée]ponse|lettre"
            r"|choix|proposition)\s+)?<LETTER>",
            r"\bje\s+(?:choisis|s[ée]lectionne|dirais|prends|r[ée]ponds)\s+(?:(?:la|le)\s+|l')?(?:(?:option|r[ée]ponse"
            r"|lettre|proposition)\s+)?<CAPITAL>",
            r"<FIRST>\s+est\s+(?:donc\s+)?(?:la|l'|le)\s*(?:bonne|meilleure|seule)?\s*(?:r[ée]ponse|option|choix)\b",
            r"<FIRST>\s+est\s+(?:donc\s+)?(?:correcte?|exacte?|vraie?|juste)\b",
            r"\bc'est\s+(?:donc\s+)?(?:(?:la|le)\s+|l')?(?:(?:option|r[ée]ponse|lettre)\s+)?<CAPITAL>",
            r"\b(?:donc|ainsi)[,:]?\s+(?:(?:la|le)\s+|l')?(?:(?:option|r[ée]ponse)\s+)?<CAPITAL><STOP>",
        ),
    ),
    short_text=ShortText(
        articles=r"(?:l['’]|(?:les?|la|une?|des|du|de\s+la)\s+)",
        lead=r"(?:la\s+)?(?:bonne\s+)?r[ée]ponse(?:\s+finale)?(?:\s+est\b|\s*:)\s*:?",
        list_joins=("et",),
        punctuation="«»",
    ),
    numbers=Numbers(
        comma_is_decimal=True,
        byte_words=("octet", "octets"),
        byte_symbols=("o",),
        unit_words={
            **dict.fromkeys(("seconde", "secondes"), "s"),
            **dict.fromkeys(("minute", "minutes"), "min"),
            **dict.fromkeys(("heure", "heures"), "h"),
            "pourcent": "%",
        },
        prefixed_units={"octet": "B", "seconde": "s"},
        unit_plurals=("s",),
        per=("par",),
        seconds=("seconde",),
        asks_in=r"\ben\b",
    ),
)
