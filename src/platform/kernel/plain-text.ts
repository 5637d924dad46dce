/**
 * Characters that change how the text around them is shown: control characters, among them those of escape sequences,
 * line breaks, and bidirectional controls, which can show a name in another order than it is stored.
 */
const controls = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/**
 * The same without the three directional marks: people who write Hebrew or Arabic type them, and they turn no letters
 * around.
 */
const rejected = /(?![\u200e\u200f\u061c])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/**
 * Format characters, such as those of tags and annotations, which can hide a text inside another. The joiners and the
 * directional marks are not among them: names need these.
 */
const hiding = /(?![\u200c-\u200f\u061c])\p{Cf}/u

/** Of any script. Some letters, such as the Hangul fillers, are invisible. */
const visibleLetterOrDigit = /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}]/u

/** A character that leaves something to see. A Braille blank (U+2800) is a symbol, but empty. */
const visible = /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u

/** Whether the text can be seen and has no control characters, line breaks or bidirectional controls. */
export function isSingleLine(text: string): boolean {
  return visible.test(text) && !rejected.test(text)
}

/**
 * Whether the text can name a person, a partner, a program or a rate card: a single line with at least one visible
 * letter or digit, and nothing hidden.
 */
export function isName(text: string): boolean {
  return isSingleLine(text) && visibleLetterOrDigit.test(text) && !hiding.test(text)
}

/**
 * What mail programs make links of. "Mr.Smith" is none: the letters after the dot of an address are small, or capital.
 */
const address = /:\/\/|[wW]{3}\.|@|[\p{L}\p{N}-]{2}\.(?:\p{Ll}{2}|\p{Lu}{2})/u

/**
 * Whether the text can name a person: as `isName`, and without a web or e-mail address, because e-mails greet people by
 * names that others gave.
 */
export function isPersonName(text: string): boolean {
  return isName(text) && !address.test(text.normalize('NFKC'))
}

/**
 * The text with each control character written as `\uXXXX`, which is also how JSON writes it, so that no stored text
 * can move the cursor, recolour a terminal or change the order of what it shows. `except` are characters to leave.
 */
export function escapeControls(text: string, except = ''): string {
  return text.replace(new RegExp(controls, 'gu'), (character) =>
    except.includes(character) ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** What partners send as the last name of a person who has one name only. It is stored, and never printed. */
export const noLastName = '-'
