/**
 * The npm packages whose fonts documents are set in, searched in this order for a character's glyph. The first one holds
 * Latin, Greek, Cyrillic, Devanagari and Vietnamese; to print a further script, install its package and add it here,
 * e.g. '@fontsource/noto-sans-sc' (76 MB).
 */
export const fontPackages: readonly string[] = [
  '@fontsource/noto-sans',
  '@fontsource/noto-sans-arabic',
  '@fontsource/noto-sans-hebrew',
  '@fontsource/noto-sans-bengali',
]

/** The weights documents use: running text, and headings with totals. */
export const fontWeights = { regular: 400, strong: 600 } as const
export type FontWeight = keyof typeof fontWeights
