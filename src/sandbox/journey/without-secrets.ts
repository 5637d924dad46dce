/** What grants access to something, wherever it is in a text, and what is shown instead. */
const secrets: readonly (readonly [pattern: RegExp, shown: string])[] = [
  // A JSON Web Token.
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'eyJ…'],
  // The token of a link.
  [/([?&](?:token|signature)=)[^&\s"'`]+/g, '$1…'],
  [/\bBearer [\w.~+/=-]{20,}/g, 'Bearer …'],
  [/\bwhsec_[\w+/=-]+/g, 'whsec_…'],
  // The client secret of a setup intent.
  [/(_secret_)\w+/g, '$1…'],
]

/**
 * Ids that are new every time: ours, the payment processor's, and contract numbers. The ids of sample properties are
 * always the same.
 */
const newIds = /\b(?!address_)([a-z]+)_[0-9a-z]{26}\b|\b(seti|cus|pm|pi|req)_[0-9A-Za-z]{8,}\b|\b\d{4}-\d{4}-\d{4}\b/g

const timeOfDay = /(?<=\b\d{4}-\d\d-\d\dT)\d\d:\d\d:\d\d(\.\d+)?(?=Z)/g

/**
 * The text without anything that grants access, with numbered ids (`quote_1`) and the same time of day everywhere, so
 * that two recordings of the same steps can be compared.
 */
export function withoutSecrets(text: string): string {
  const hidden = secrets.reduce((shown, [pattern, replacement]) => shown.replace(pattern, replacement), text)
  const numbers = new Map<string, string>()
  const counts = new Map<string, number>()
  return hidden
    .replace(timeOfDay, (_, fraction = '') => `12:00:00${fraction === '' ? '' : '.000'}`)
    .replace(newIds, (id, ours: string | undefined, theirs: string | undefined) => {
      const kind = ours ?? theirs
      const number = (counts.get(kind ?? '') ?? 0) + 1
      const known = numbers.get(id)
      if (known !== undefined) return known
      counts.set(kind ?? '', number)
      const shown = kind === undefined ? `0000-0000-${String(number).padStart(4, '0')}` : `${kind}_${number}`
      numbers.set(id, shown)
      return shown
    })
}
