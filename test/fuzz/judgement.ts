import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { checkResponse } from '../support/openapi-responses.ts'
import { type JsonSchema, type Operation, problemSchema } from './document.ts'
import type { Answered, Outcome, SentRequest } from './exchange.ts'

const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)
for (const format of ['idn-email', 'phone', 'single-line', 'ip', 'int32', 'int64']) ajv.addFormat(format, true)
const isProblem = ajv.compile(problemSchema)
const bodyChecks = new Map<JsonSchema, (value: unknown) => boolean>()

/** Anything that tells of our insides. */
const insides = /node_modules|\.ts:\d+|\bat \S+ \(|\bselect \S+ from\b|insert into|ECONN|SQLSTATE|\bDatabaseError/

/** Statuses that say a request is not of the shape the document describes. */
const shapeRefusals = [400, 401, 403, 405, 406, 413, 415]

/** Closed on a body beyond the limit before it was sent in full; HTTP allows that. */
const bodyLimitBytes = 65_536
/** A request line that leaves too little of the 16 KiB for the headers is no HTTP that the document could speak of. */
const longestTarget = 15_000

/** Everything that is wrong with an answer to such a request; nothing for most. */
export function judge(request: SentRequest, outcome: Outcome): string[] {
  if ('failure' in outcome) {
    const isTooLarge = (request.body?.length ?? 0) > bodyLimitBytes
    return isTooLarge ? [] : [`there was no answer: ${outcome.failure}`]
  }
  const complaints = [...aboutStatus(request, outcome), ...aboutForm(request, outcome)]
  if (insides.test(outcome.text)) complaints.push('the answer tells of our insides')
  if (outcome.headers.get('x-request-id') === null) complaints.push('there is no X-Request-Id')
  return complaints
}

function aboutStatus({ plan, target, body }: SentRequest, { status }: Answered): string[] {
  const complaints: string[] = []
  if (status >= 500) complaints.push(`${status}, and nothing was steered down`)
  if (status === 429) complaints.push('429, and no limit is set')
  if (!plan.isPlain || target.length > longestTarget) return complaints
  // A home is nobody's: every partner may name it.
  const isOurs = plan.operation.idOf !== undefined && plan.operation.idOf !== 'addressUid'
  if (isOurs && plan.whose !== 'own' && status === 200) complaints.push(`200 for an id that is ${plan.whose}`)
  const accepts = documentAccepts(plan.operation, plan.headers, body)
  if (accepts === true && shapeRefusals.includes(status))
    complaints.push(`${status} for a request the document describes`)
  if (accepts === false && status === 200) complaints.push('200 for a body the document refuses')
  return complaints
}

/** Undefined where it cannot be said: token calls read forms, and pass over what they do not know. */
function documentAccepts(
  { body: described, needsToken }: Operation,
  headers: SentRequest['headers'],
  body: Buffer | undefined,
): boolean | undefined {
  if (!needsToken) return undefined
  const isEmpty = body === undefined || /^\s*$/.test(body.toString('latin1'))
  if (described === undefined) return isEmpty || isEmptyObject(body) ? true : undefined
  if (isEmpty) return !described.required
  if (body.length > bodyLimitBytes) return false
  if (headers.some(([name, value]) => name === 'content-type' && value !== 'application/json')) return undefined
  const value = parse(body)
  return value !== undefined && checkOf(described.schema)(value.parsed)
}

function isEmptyObject(body: Buffer): boolean {
  return /^\s*\{\s*\}\s*$/.test(body.toString('latin1'))
}

function parse(body: Buffer): { parsed: unknown } | undefined {
  try {
    return { parsed: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) }
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined
    throw error
  }
}

function checkOf(schema: JsonSchema): (value: unknown) => boolean {
  const check = bodyChecks.get(schema) ?? ajv.compile(schema)
  bodyChecks.set(schema, check)
  return check
}

/** Whether the answer is one of those the document has for the operation, or else an error in the one shape of errors. */
function aboutForm({ plan, method, target }: SentRequest, answer: Answered): string[] {
  if (method === 'HEAD') return answer.text === '' ? [] : ['the answer to HEAD has a body']
  const { status, headers, text } = answer
  // A path that was spelt otherwise is the operation's if it was answered as such.
  const path = status === 200 && !plan.isPlain ? plan.operation.path.replace(/\{\w+\}/, 'x') : target
  const isJson = headers.get('content-type')?.includes('json') ?? false
  try {
    const body: unknown = isJson ? JSON.parse(text) : undefined
    checkResponse(method, path, { ...answer, body })
    if (status < 400 || plan.operation.path.endsWith('/token')) return []
    return aboutProblem(body, answer)
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

function aboutProblem(body: unknown, { status, headers }: Answered): string[] {
  if (!isProblem(body)) return [`the error is no problem document: ${ajv.errorsText(isProblem.errors)}`]
  const { status: said, requestId, type, code } = body as Record<string, unknown>
  const complaints: string[] = []
  if (headers.get('content-type') !== 'application/problem+json; charset=utf-8')
    complaints.push(`the problem document came as ${headers.get('content-type')}`)
  if (said !== status) complaints.push(`the problem document says ${said}`)
  if (requestId !== headers.get('x-request-id')) complaints.push('the problem document has another requestId')
  if (!String(type).endsWith(`/docs/errors/${code}`)) complaints.push(`the type ${type} is not that of ${code}`)
  return complaints
}
