/**
 * What a page can tell has happened, by its code: of a page, or of an error. Words with figures take whole numbers.
 */
export type NoticeWords = Readonly<Record<string, string | ((...figures: number[]) => string)>>

/** A code of `Words` with the figures that its words take. */
export type NoticeOf<Words extends NoticeWords> = {
  [Code in keyof Words & string]: Words[Code] extends (...figures: infer Figures extends number[]) => string
    ? readonly [Code, ...Figures]
    : Code
}[keyof Words & string]

/** A notice as a cookie keeps it, and as `noticeIn` reads it. */
export function writtenNotice(notice: string | readonly [string, ...number[]]): string {
  return [notice].flat().join('.')
}

/** The words of a written notice, or of an error's code; undefined for one that no page can cause. */
export function noticeIn(words: NoticeWords, written: string): string | undefined {
  const [code = '', ...figures] = written.split('.')
  const notice = Object.hasOwn(words, code) ? words[code] : undefined
  if (typeof notice !== 'function') return notice
  return figures.length === notice.length ? notice(...figures.map(Number)) : undefined
}
