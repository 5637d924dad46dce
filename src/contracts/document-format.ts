export const documentFormats = ['html', 'pdf'] as const
export type DocumentFormat = (typeof documentFormats)[number]
