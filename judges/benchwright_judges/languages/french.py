"""French."""

from __future__ import annotations

from benchwright_judges.languages.language import AnswerLanguage, AnswerWords, LanguageWording

FRENCH = AnswerLanguage(
    code="fr",
    name="French",
    comma_is_decimal=True,
    wording=LanguageWording(
        system="Vous êtes spécialiste d'informatique et de conception de circuits, et vous passez un examen.",
        choose="Une seule proposition est juste. X est sa lettre.",
        choose_several="Une ou plusieurs propositions sont justes. X est la suite de leurs lettres, par exemple AC.",
        decide="Cette affirmation est-elle juste ? X est Vrai ou Faux.",
        fill="X est ce qui complète l'espace vide : les mots seuls, ou le nombre avec son unité.",
        explain="Répondez clairement en quelques phrases.",
        answer="Répondez par une seule ligne : `{line}`.",
        steps_request="Réfléchissez d'abord étape par étape. Terminez ensuite par cette ligne : `{line}`.",
        true="Vrai",
        false="Faux",
    ),
    words=AnswerWords(
        answer_labels=r"(?:la |ma )?(?:bonne )?(?:réponse|réponses|reponse)(?: finale| correcte| juste)?(?: est)?",
        sentences=(
            r"(?:donc|ainsi)?,? ?(?:la|ma) (?:bonne )?(?:réponse|option|proposition)(?: finale| correcte| exacte"
            r"| juste)? est(?: donc)?(?: la)? ?:? <X>",
            r"(?:donc|ainsi)?,? ?(?:l'|cette )(?:affirmation|énoncé|assertion|proposition) est(?: donc)? <X>",
            r"(?:donc|ainsi)?,? ?(?:la )?<X> est la (?:bonne réponse|réponse correcte|réponse exacte)",
        ),
        picks=r"(?:choisi[ rst]*|opte pour|retiens) (?:la |l\'option )?<X>",
        nouns=r"(?:la |l'|les )?(?:réponses?|options?|propositions?|choix|lettres?)",
        true=r"vrai|vraie|exact|exacte|correct|correcte|juste",
        false=r"faux|fausse|inexact|inexacte|incorrect|incorrecte",
        negations=r"\b(?:pas|ne|jamais|aucune?|ni|guère)\b|\bn'",
        doubts=r"\b(?:non|attends|attendez|mais|cependant|plutôt|sauf|correction|pardon|désolée?|erreur|peut-être"
        r"|sans doute|probablement|doute|voulais|finalement|en fait|bien que"
        r"|plaisante|seulement|partiellement|oups|hm+)\b",
        conditions=r"\b(?:si|serait|pourrait|supposons)\b",
        refusal=r"\bje ne (?:sais|peux) pas\b|\bimpossible de (?:répondre|dire|trancher)|\baucune idée\b"
        r"|\bje suis désolée?\b",
        questions=r"(?:question|énoncé|exercice|affirmation) ?\d*",
        fields=r"réponse|reponse|choix",
        articles=r"(?:l'|(?:les?|la|une?|des|du)\s+)",
        joins=r"et",
        asks_in=r"\ben\b|\bcombien\s+(?:de|d')",
    ),
    units={
        "B": "octet|octets|o",
        "s": "seconde|secondes",
        "h": "heure|heures",
        "%": "pour cent|pourcent",
        "set": "ensemble|ensembles",
        "line": "ligne|lignes|bloc|blocs",
        "way": "voie|voies",
        "entry": "entrée|entrées",
        "word": "mot|mots",
        "frame": "cadre|cadres",
        "cycle": "cycle d'horloge|cycles d'horloge",
        "stage": "étage|étages",
        "x": "fois",
    },
)
