"""Languages: their names, stop words and stemmers, and detecting which one a text is in; nothing leaves the machine."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache

from rulerank.text.tokens import STOP_WORDS

LANGUAGES = {
    "ar": "Arabic", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English",
    "eo": "Esperanto", "es": "Spanish", "et": "Estonian", "eu": "Basque", "fa": "Persian", "fi": "Finnish",
    "fr": "French", "ga": "Irish", "hi": "Hindi", "hu": "Hungarian", "hy": "Armenian", "id": "Indonesian",
    "it": "Italian", "ja": "Japanese", "ko": "Korean", "lt": "Lithuanian", "nb": "Norwegian", "ne": "Nepali",
    "nl": "Dutch", "nn": "Norwegian", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian",
    "ru": "Russian", "sr": "Serbian", "sv": "Swedish", "ta": "Tamil", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian",
    "vi": "Vietnamese", "yi": "Yiddish", "zh": "Chinese",
}  # fmt: skip
"""English names of languages by their ISO 639-1 codes; Snowball's stemmers go by the same names."""

OTHER_LANGUAGES = {
    "af": "Afrikaans", "am": "Amharic", "az": "Azerbaijani", "be": "Belarusian", "bg": "Bulgarian", "bn": "Bengali",
    "br": "Breton", "bs": "Bosnian", "cy": "Welsh", "fo": "Faroese", "fy": "Frisian", "gd": "Scottish Gaelic",
    "gl": "Galician", "gu": "Gujarati", "ha": "Hausa", "he": "Hebrew", "hr": "Croatian", "ht": "Haitian Creole",
    "ig": "Igbo", "is": "Icelandic", "jv": "Javanese", "ka": "Georgian", "kk": "Kazakh", "km": "Khmer",
    "kn": "Kannada", "ku": "Kurdish", "ky": "Kyrgyz", "la": "Latin", "lb": "Luxembourgish", "lo": "Lao",
    "lv": "Latvian", "mg": "Malagasy", "mk": "Macedonian", "ml": "Malayalam", "mn": "Mongolian", "mr": "Marathi",
    "ms": "Malay", "mt": "Maltese", "my": "Burmese", "oc": "Occitan", "or": "Odia", "pa": "Punjabi", "ps": "Pashto",
    "si": "Sinhala", "sk": "Slovak", "sl": "Slovenian", "so": "Somali", "sq": "Albanian", "sw": "Swahili",
    "te": "Telugu", "tg": "Tajik", "tk": "Turkmen", "tl": "Tagalog", "tt": "Tatar", "ug": "Uyghur", "ur": "Urdu",
    "uz": "Uzbek", "yo": "Yoruba", "zu": "Zulu",
}  # fmt: skip
"""More that can be detected. What has a name in neither table is never the answer: it is nearly always a mistake."""

HEAD = 400  # characters that are looked at: more tell hardly more, and take longer
FEWEST_LETTERS = 12  # fewer are a guess
SURE_LETTERS = 200  # more are sure, whatever the language
MOST_SAMPLED = 400
MAIN_SHARE = 0.8  # of the documents: what makes a language that of a collection
ALSO_SHARE = 0.05


def detect_language(text: str, among: Sequence[str] = ()) -> str | None:
    """Return the code of the language that a text is in, such as "en", or None if it is too short to tell.

    By py3langid (Lui and Baldwin's langid.py, 2012, retrained): n-grams of bytes, no network. A short text, such as a
    title full of names, is detected `among` the languages of its collection alone, if they are given.
    """
    head = text[:HEAD]
    letters = sum(map(str.isalpha, head))
    dense = _is_dense(head)
    if letters < FEWEST_LETTERS and not dense:
        return None
    short = letters < SURE_LETTERS and not dense
    if short and len(among) == 1:
        return among[0]
    import py3langid  # type: ignore[import-untyped]  # noqa: PLC0415 (a second to load, which only this function needs)

    known = among if short and among else {**LANGUAGES, **OTHER_LANGUAGES}
    return next((str(code) for code, _ in py3langid.rank(head) if code in known), None)


def language_name(code: str) -> str:
    """Return the English name of a language; what is no code of one stays as it is.

    >>> language_name("de"), language_name("he"), language_name("native")
    ('German', 'Hebrew', 'native')
    """
    return LANGUAGES.get(code) or OTHER_LANGUAGES.get(code) or code


def _is_dense(text: str) -> bool:
    """Say whether a text is in a script of which a few characters are a sentence."""
    return sum(char >= "\u0e00" and char.isalpha() for char in text) >= FEWEST_LETTERS // 3


def languages_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the languages of a collection by a sample of its texts, the most frequent first.

    One alone if four fifths of the texts are in it; else all that one in twenty has. None if none can be detected.
    """
    known = Counter(code for code in map(detect_language, texts) if code)
    detected = sum(known.values())
    if not detected:
        return ()
    ordered = known.most_common()
    if ordered[0][1] >= MAIN_SHARE * detected:
        return (ordered[0][0],)
    return tuple(code for code, count in ordered if count >= ALSO_SHARE * detected)


@cache
def stemmer(code: str) -> Callable[[str], str] | None:
    """Return Snowball's stemmer of a language, or None if it has none; any number of threads may call it."""
    import snowballstemmer  # type: ignore[import-untyped]  # noqa: PLC0415

    name = LANGUAGES.get(code, "").lower()
    if name not in snowballstemmer.algorithms():
        return None
    stem: Callable[[str], str] = snowballstemmer.stemmer(name).stemWord
    one_at_a_time = threading.Lock()  # Snowball keeps the word that it works on in the stemmer

    def safely(word: str) -> str:
        with one_at_a_time:
            return stem(word)

    return safely


@cache
def stop_words(code: str) -> frozenset[str]:
    """Return the stop words of a language, as bm25s has them (for English, beside ours); none if it does not."""
    from bm25s import stopwords  # type: ignore[import-untyped]  # noqa: PLC0415

    if code == "en":
        return STOP_WORDS | frozenset(stopwords.STOPWORDS_EN_PLUS)
    listed = getattr(stopwords, f"STOPWORDS_{LANGUAGES.get(code, '').upper()}", ())
    return frozenset(word.casefold() for word in listed)
