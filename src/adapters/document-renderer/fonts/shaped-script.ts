const oneGlyphALetter =
  '\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}'
const shaped = new RegExp(`(?![${oneGlyphALetter}])\\p{L}`, 'u')

/**
 * Whether a text has letters of a script in which glyphs do not correspond to letters one to one: Arabic letters join, and
 * Devanagari letters can also be drawn in a different order.
 */
export function hasShapedScript(text: string): boolean {
  return shaped.test(text)
}
