const oneGlyphALetter =
  '\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}'
const shaped = new RegExp(`(?![${oneGlyphALetter}])\\p{L}`, 'u')

/**
 * Whether a text has letters of a script whose glyphs do not match its letters one to one: in Arabic, letters join; in Devanagari,
 * they also change places.
 */
export function hasShapedScript(text: string): boolean {
  return shaped.test(text)
}
