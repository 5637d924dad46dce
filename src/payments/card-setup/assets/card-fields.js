// The three fields of the card form: formatting while typing, and validation.

const groups = { amex: [4, 10, 15], other: [4, 8, 12, 16, 19] }

/** @param {string} text */
export function digitsOf(text) {
  return text.replace(/\D/g, '')
}

/** @param {string} digits all digits of the card number, or only the first few */
export function detectBrand(digits) {
  if (/^4/.test(digits)) return 'Visa'
  if (/^(5[1-5]|2[2-7])/.test(digits)) return 'Mastercard'
  if (/^3[47]/.test(digits)) return 'American Express'
  return ''
}

/** @param {string} text */
export function formatNumber(text) {
  const digits = digitsOf(text).slice(0, 19)
  const ends = detectBrand(digits) === 'American Express' ? groups.amex : groups.other
  return ends
    .map((end, index) => digits.slice(ends[index - 1] ?? 0, end))
    .filter((group) => group !== '')
    .join(' ')
}

/** `1230`, `12/30`, `12/2030` and `1/30` all become `MM / YY`. @param {string} text */
export function formatExpiry(text) {
  const [, first, rest] = /^\s*(\d{1,2})\s*[/.-]\s*(\d*)\s*$/.exec(text) ?? []
  if (first !== undefined) return `${first.padStart(2, '0')} / ${(rest ?? '').replace(/^20(?=\d\d)/, '').slice(0, 2)}`
  const digits = digitsOf(text)
  const month = /^[2-9]/.test(digits) ? `0${digits[0]}` : digits.slice(0, 2)
  const year = digits
    .slice(/^[2-9]/.test(digits) ? 1 : 2)
    .replace(/^20(?=\d\d)/, '')
    .slice(0, 2)
  return month.length === 2 ? `${month} / ${year}` : month
}

/** @param {string} text the expiry date in the form `MM / YY` */
export function expiryParts(text) {
  const [month = '', year = ''] = text.split('/').map((part) => part.trim())
  return { expMonth: month, expYear: year }
}

/**
 * Checks the card. Returns the problems by field, in the order of the form; empty if the card can be sent.
 * @param {{ number: string, expiry: string, cvc: string }} card
 * @param {Date} today
 */
export function validateCard(card, today) {
  const digits = digitsOf(card.number)
  const problems = []
  if (digits === '') problems.push({ field: 'number', text: 'Enter the card number' })
  else if (digits.length < 12) problems.push({ field: 'number', text: 'The card number is too short' })
  else if (!passesLuhn(digits)) problems.push({ field: 'number', text: 'Check the card number: a digit is wrong' })

  const { expMonth, expYear } = expiryParts(card.expiry)
  const month = Number(expMonth)
  const year = 2000 + Number(expYear)
  if (card.expiry.trim() === '') problems.push({ field: 'expiry', text: 'Enter the expiry date' })
  else if (!/^\d{2}$/.test(expMonth) || !/^\d{2}$/.test(expYear) || month < 1 || month > 12) {
    problems.push({ field: 'expiry', text: 'Enter the date like this: 09 / 29' })
  } else if (year < today.getFullYear() || (year === today.getFullYear() && month < today.getMonth() + 1)) {
    problems.push({ field: 'expiry', text: 'The card has expired' })
  }

  const cvc = card.cvc.trim()
  const length = detectBrand(digits) === 'American Express' ? 4 : 3
  if (cvc === '') problems.push({ field: 'cvc', text: 'Enter the security code' })
  else if (!/^\d+$/.test(cvc) || cvc.length !== length)
    problems.push({ field: 'cvc', text: `The security code has ${length} digits` })
  return problems
}

/** @param {string} digits */
function passesLuhn(digits) {
  let sum = 0
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place]) * (place % 2 === 1 ? 2 : 1)
    sum += digit > 9 ? digit - 9 : digit
  }
  return sum % 10 === 0
}
