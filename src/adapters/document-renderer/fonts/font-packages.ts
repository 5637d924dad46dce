/**
 * The npm packages whose fonts documents are set in, searched in this order for a character's glyph. The first one holds
 * Latin, Greek, Cyrillic, Devanagari and Vietnamese; `sc` holds Chinese characters, simplified and traditional, and kana, `kr`
 * Hangul. To print a further script, install its package and add it here.
 */
export const fontPackages: readonly string[] = [
  '@fontsource/noto-sans',
  '@fontsource/noto-sans-arabic',
  '@fontsource/noto-sans-hebrew',
  '@fontsource/noto-sans-bengali',
  '@fontsource/noto-sans-gurmukhi',
  '@fontsource/noto-sans-gujarati',
  '@fontsource/noto-sans-tamil',
  '@fontsource/noto-sans-thai',
  '@fontsource/noto-sans-sc',
  '@fontsource/noto-sans-kr',
]

/** The weights documents use: running text, and headings with totals. */
export const fontWeights = { regular: 400, strong: 600 } as const
export type FontWeight = keyof typeof fontWeights
