"""Words without their endings, so that the forms of one word are one word."""

from functools import lru_cache

_SUFFIXES = ("ization", "isation", "ations", "ation", "ating", "ated", "ates", "ate", "ements", "ement", "ments", "ment", "nesses", "ness", "ingly", "edly", "ibility", "ability",
             "ities", "ity", "ically", "ally", "ances", "ance", "ences", "ence", "ancies", "ancy", "encies", "ency", "ings", "ing", "iers", "ied", "ies", "ives", "ive",
             "able", "ible", "ions", "ion", "ers", "er", "ors", "or", "ent", "ant", "ed", "ly", "es", "al", "e", "s", "y")  # fmt: skip

# Forms that share no beginning long enough with the word that they belong to.
_IRREGULAR = """
written=write wrote=write writes=write sent=send sends=send lost=lose loses=lose losing=lose
loss=lose losses=lose kept=keep keeps=keep broken=break broke=break breaks=break built=build
builds=build ran=run running=run runs=run held=hold holds=hold left=leave leaves=leave read=read
reads=read chosen=choose chose=choose taken=take took=take given=give gave=give shown=show
showed=show stolen=steal stole=steal forgotten=forget forgot=forget hidden=hide hides=hide hid=hide
thrown=throw threw=throw throws=throw paid=pay pays=pay sold=sell sells=sell found=find finds=find
bound=bind begun=begin began=begin begins=begin grown=grow grew=grow grows=grow known=know knew=know
met=meet meets=meet caught=catch catches=catch dropped=drop drops=drop dropping=drop stopped=stop
stops=stop fell=fall fallen=fall falls=fall woke=wake wakes=wake died=die dies=die dying=die
indices=index indexes=index queries=query children=child people=person data=data used=use uses=use
"""
_REGULAR = dict(pair.split("=") for pair in _IRREGULAR.split())


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A word without its ending; at least three letters stay."""
    word = word.lower().replace("\u2019", "'").removesuffix("'s")
    word = _REGULAR.get(word, word)
    if not word.isascii() or len(word) < 5 or not word.isalpha():
        return word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word
