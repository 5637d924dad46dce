/**
 * The npm packages whose fonts documents are set in, searched in this order for a character's glyph. Latin, Greek,
 * Cyrillic, Devanagari and Vietnamese are Noto Sans; to print a further script, install its package and add it here,
 * e.g. '@fontsource/noto-sans-arabic'.
 */
export const fontPackages: readonly string[] = ['@fontsource/noto-sans']

/** The weights documents use: running text, and headings with totals. */
export const fontWeights = { regular: 400, strong: 600 } as const
export type FontWeight = keyof typeof fontWeights
