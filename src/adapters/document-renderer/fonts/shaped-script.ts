const oneGlyphALetter =
  '\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}'
const shaped = new RegExp(`(?![${oneGlyphALetter}])\\p{L}`, 'u')

/**
 * Whether a text holds letters of a script whose glyphs do not follow its letters one by one, as in Arabic, where they
 * join, or Devanagari, where they also change places.
 */
export function hasShapedScript(text: string): boolean {
  return shaped.test(text)
}
