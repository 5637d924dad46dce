/**
 * The npm packages with the documents' fonts, searched for glyphs in this order. The first has Latin, Greek, Cyrillic, Devanagari
 * and Vietnamese; `sc` has simplified and traditional Chinese and kana; `kr` has Hangul. To support another script, install its
 * package and add it here; its fonts need 1,000 units per em.
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

/** The weights that documents use: `regular` for body text, `strong` for headings and totals. */
export const fontWeights = { regular: 400, strong: 600 } as const
export type FontWeight = keyof typeof fontWeights
