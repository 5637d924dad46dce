import { isIP } from 'node:net'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { TObject, TSchema } from 'typebox'
import { isIsoDate } from '../kernel/dates.ts'
import { isPlausibleEmail } from '../kernel/email.ts'
import { type ErrorCode, type FieldError, invalidFields, suggestName } from '../kernel/errors.ts'
import { isInstant } from '../kernel/instant.ts'
import { hasExtension, isPossiblePhone } from '../kernel/phone.ts'
import { isName, isPersonName, isSingleLine, noLastName } from '../kernel/plain-text.ts'

/** A member's name or an array's index as one step of a JSON Pointer (RFC 6901). */
export function escapedForPointer(name: unknown): string {
  return String(name).replaceAll('~', '~0').replaceAll('/', '~1')
}

const formats = {
  date: isIsoDate,
  'date-time': isInstant,
  // RFC 6531 allows any script on both sides of the @.
  'idn-email': isPlausibleEmail,
  phone: isPossiblePhone,
  ip: (text: string) => text.length <= 64 && isIP(text) !== 0,
  'single-line': isSingleLine,
  name: isName,
  'person-name': isPersonName,
  'last-name': (text: string) => text.trim() === noLastName || isPersonName(text),
}

/** Marks a query parameter that accepts any text, because its raw value never reaches the database. */
export const anyTextKeyword = 'x-any-text'

/** Marks text whose leading and trailing white space is removed, in place, before it is checked. */
export const trimmedKeyword = 'x-trimmed'

function createAjv(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    strict: true,
    strictTypes: false,
    // Our own schemas are linted with the API document. Compiling the schema of schemas takes longer than most of them
    // together.
    validateSchema: false,
    coerceTypes,
    verbose: true,
  })
  addFormats.default(ajv, ['uri'])
  for (const [name, validate] of Object.entries(formats)) ajv.addFormat(name, { type: 'string', validate })
  // These formats are not checked: they only inform readers of the document. The minimum and maximum are enforced.
  for (const size of ['int32', 'int64']) ajv.addFormat(size, true)
  ajv.addKeyword(anyTextKeyword)
  // Somebody who pastes a text does not see the space at its end.
  ajv.addKeyword({
    keyword: trimmedKeyword,
    type: 'string',
    modifying: true,
    before: 'format',
    validate(
      _: unknown,
      text: unknown,
      __?: unknown,
      place?: { parentData: object; parentDataProperty: string | number },
    ) {
      if (typeof text === 'string' && place !== undefined)
        Object.assign(place.parentData, { [place.parentDataProperty]: text.trim() })
      return true
    },
  })
  return ajv
}

const bodies = createAjv(false)
const queries = createAjv(true)

/** Checks one part of a request; returns every invalid field. */
export type PartValidator = (value: unknown) => FieldError[]

export function bodyValidator(schema: TSchema): PartValidator {
  return validator(compiledOnce(bodies, schema), '')
}

/** Query values are text: numbers are converted in place; a repeated parameter becomes an array, which is rejected. */
export function queryValidator(schema: TObject): PartValidator {
  const stored = Object.keys(schema.properties).filter((name) => !(anyTextKeyword in (schema.properties[name] ?? {})))
  const storable = (query: object) =>
    Object.fromEntries(Object.entries(query).filter(([name]) => stored.includes(name)))
  const validate = validator(compiledOnce(queries, schema), '/query', (query) => storable(query as object))
  return (query) => onePerField([...validate(query), ...infiniteNumbers(query as object)])
}

/** Compiles the schema at its first use, because compiling all schemas takes a large part of the time to start. */
function compiledOnce(ajv: Ajv, schema: TSchema): () => ValidateFunction {
  let compiled: ValidateFunction | undefined
  return () => {
    compiled ??= ajv.compile(schema)
    return compiled
  }
}

/** Finds infinite numbers: text such as 1e400 becomes Infinity, which the maximum does not catch. */
function infiniteNumbers(query: object): FieldError[] {
  return Object.entries(query)
    .filter(([, value]) => typeof value === 'number' && !Number.isFinite(value))
    .map(([name]) => ({
      pointer: `/query/${escapedForPointer(name)}`,
      code: 'out_of_range',
      detail: 'The number is too large.',
    }))
}

/**
 * `storable` returns the part of the input that may be stored as it is, and so must not contain text that the database
 * rejects.
 */
function validator(
  compiled: () => ValidateFunction,
  prefix: string,
  storable: (value: unknown) => unknown = (value) => value,
): PartValidator {
  return (value) => {
    const unusable = unusableText(storable(value), prefix)
    const validate = compiled()
    if (validate(value)) return unusable
    const reported = (validate.errors ?? [])
      .filter((error) => !isDuplicateError(error))
      .map((error) => describe(error, prefix))
    return onePerField([...reported, ...unusable])
  }
}

/** Formats that imply a length: a wrong length is reported as a wrong format. */
const formatsOfOwnLength = new Set(['date', 'date-time', 'phone', 'ip'])

/**
 * Errors that only repeat another error: `anyOf` and `if` repeat the errors of their branches, `propertyNames` says
 * what is wrong with a name, and a date's length repeats its format.
 */
function isDuplicateError(error: ErrorObject): boolean {
  if (error.keyword === 'if' || error.keyword === 'anyOf' || error.propertyName !== undefined) return true
  return error.keyword === 'maxLength' && formatsOfOwnLength.has(String(error.parentSchema?.format))
}

/** What other APIs call the place in a list. */
const namesOfPages = /^(page|page_?(number|token)|offset|skip|after|before|starting_?after|ending_?before)$/i

const useCursor = ' For the next page, send cursor with the nextCursor of the previous response.'

function describe(error: ErrorObject, prefix: string): FieldError {
  const pointer = `${prefix}${error.instancePath}`
  if (error.keyword === 'required') {
    return {
      pointer: `${pointer}/${escapedForPointer(error.params.missingProperty)}`,
      code: 'required',
      detail: 'This field is required.',
    }
  }
  if (error.keyword === 'additionalProperties') {
    const name = String(error.params.additionalProperty)
    const known = Object.keys((error.parentSchema?.properties as object | undefined) ?? {})
    const list = known.length === 0 ? '' : ` The known fields are: ${known.join(', ')}.`
    const meant = known.includes('cursor') && namesOfPages.test(name) ? useCursor : suggestName(name, known)
    const detail = `Unknown field.${meant}${list}`
    return { pointer: `${pointer}/${escapedForPointer(name)}`, code: 'unknown_field', detail }
  }
  if (error.keyword === 'propertyNames') {
    const key = escapedForPointer(String(error.params.propertyName))
    const { description } = error.schema as { description: string }
    return { pointer: `${pointer}/${key}`, code: 'wrong_format', detail: `This key is not allowed. ${description}` }
  }
  if (error.keyword === 'minProperties') {
    const known = Object.keys((error.parentSchema?.properties as object | undefined) ?? {}).join(', ')
    return { pointer, code: 'required', detail: `Must have at least one of these fields: ${known}.` }
  }
  return { pointer, code: fieldCode(error), detail: fieldDetail(error) }
}

function fieldCode(error: ErrorObject): string {
  if (error.keyword === 'type') return 'wrong_type'
  if (error.keyword === 'enum' || error.keyword === 'const') return 'not_allowed'
  if (error.keyword === 'format' || error.keyword === 'pattern') return 'wrong_format'
  if (error.keyword === 'uniqueItems') return 'repeated'
  if (error.keyword === 'minLength' || error.keyword === 'minItems') return 'too_short'
  if (error.keyword === 'maxLength' || error.keyword === 'maxItems' || error.keyword === 'maxProperties')
    return 'too_long'
  return 'out_of_range'
}

const name =
  'Must be a single line of text with at least one letter or digit, and no control, format or bidirectional characters.'

const noAddress =
  'Must not contain a web or e-mail address: leave out ://, www. and @, and write a space after a full stop.'

const formatDetails: Record<string, string> = {
  date: 'Must be a date between 1900 and 2199, as YYYY-MM-DD.',
  'idn-email': 'Must be a valid email address, such as name@example.com, without invisible characters.',
  phone: 'Must be a valid phone number, in UK national format or international format with +.',
  'single-line': 'Must be a single line of visible text, without control characters or bidirectional controls.',
  name,
  'person-name': `${name} ${noAddress}`,
  'last-name': `${name} ${noAddress} For a person with one name only, send "${noLastName}".`,
  ip: 'Must be an IPv4 or IPv6 address.',
  'date-time': 'Must be a timestamp with a time zone, such as 2026-11-20T09:00:00Z. In a URL, write + as %2B.',
  uri: 'Must be an absolute URL.',
}

const noSuchDay = 'There is no such day. Check the month and the day of the date.'

const phoneExtension =
  'Extensions cannot be stored. Send a number that reaches the person directly, such as their mobile, or the number without its extension.'

function fieldDetail(error: ErrorObject): string {
  const { params } = error
  switch (error.keyword) {
    case 'type':
      return `Must be of type ${String(params.type)}.`
    case 'enum':
      return `Must be one of: ${params.allowedValues.join(', ')}.${suggestName(error.data, params.allowedValues.map(String))}`
    case 'const':
      return `Must be ${JSON.stringify(params.allowedValue)}.`
    case 'format':
      if (params.format === 'phone' && hasExtension(String(error.data))) return phoneExtension
      if (params.format === 'date' && /^(19|20|21)\d\d-\d\d-\d\d$/.test(String(error.data))) return noSuchDay
      return formatDetails[String(params.format)] ?? `Must have the format ${String(params.format)}.`
    case 'uniqueItems':
      return 'Must not contain duplicates.'
    case 'minLength':
      return params.limit === 1 ? 'Must not be empty.' : `Must have at least ${params.limit} characters.`
    case 'maxLength':
      return `Must have at most ${params.limit} characters.`
    case 'minItems':
      return params.limit === 1 ? 'Must have at least one entry.' : `Must have at least ${params.limit} entries.`
    case 'maxProperties':
      return `Must have at most ${params.limit} fields.`
    case 'maxItems':
      return `Must have at most ${params.limit} entries.`
    case 'minimum':
      return `Must be ${params.limit} or more.`
    case 'maximum':
      return `Must be ${params.limit} or less.`
    default:
      return `Value ${error.message ?? 'is invalid'}.`
  }
}

const maxNesting = 20

/** Finds text that PostgreSQL cannot store: NUL characters and unpaired surrogates, anywhere in the value. */
function unusableText(value: unknown, pointer: string, depth = 0): FieldError[] {
  if (depth > maxNesting)
    return [
      {
        pointer,
        code: 'out_of_range',
        detail: `Must not be nested more than ${maxNesting} levels deep.`,
      },
    ]
  if (typeof value === 'string') {
    if (!value.includes('\u0000') && value.isWellFormed()) return []
    return [
      {
        pointer,
        code: 'wrong_format',
        detail: 'Must not contain NUL characters or unpaired surrogates.',
      },
    ]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    unusableText(inner, `${pointer}/${escapedForPointer(key)}`, depth + 1),
  )
}

/**
 * The codes of fields that are missing, unknown or of the wrong type (400). A schema rejects any other value with 422.
 */
const shapeCodes: ReadonlySet<string> = new Set(['required', 'unknown_field', 'wrong_type'])

function isShapeError({ code }: FieldError): boolean {
  return shapeCodes.has(code)
}

/** Keeps one entry for each invalid field; a wrong type takes precedence over an invalid value. */
function onePerField(fields: readonly FieldError[]): FieldError[] {
  const byPointer = new Map<string, FieldError>()
  for (const field of fields) {
    const known = byPointer.get(field.pointer)
    if (known === undefined || (isShapeError(field) && !isShapeError(known))) byPointer.set(field.pointer, field)
  }
  return [...byPointer.values()]
}

/**
 * Throws one error for all findings: 400 if the schema found a field that is missing, unknown or of the wrong type,
 * otherwise 422. A single violated rule with its own error code, one of `ownCodes`, keeps that code.
 */
export function rejectInvalidFields(
  found: readonly FieldError[],
  ruleErrors: readonly FieldError[],
  ownCodes: readonly ErrorCode[],
): void {
  const fields = [...found, ...ruleErrors].map(({ pointer, code, detail }) => ({ pointer, code, detail }))
  if (fields.length === 0) return
  if (found.some(isShapeError)) throw invalidFields(fields, 'invalid_request')
  const [ownCode, ...others] = ownCodes.filter((code) => ruleErrors.some((error) => error.code === code))
  throw invalidFields(fields, found.length === 0 && others.length === 0 ? ownCode : undefined)
}
