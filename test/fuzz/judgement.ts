import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { removeOptionalNulls } from '../../src/platform/http/optional-nulls.ts'
import { repeatedMember } from '../../src/platform/http/plugins/repeated-member.ts'
import { checkResponse } from '../support/openapi-responses.ts'
import { type JsonSchema, type Operation, problemSchemas } from './document.ts'
import type { Outcome, ReceivedResponse, SentRequest } from './exchange.ts'

const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)
for (const format of ['idn-email', 'phone', 'single-line', 'ip', 'int32', 'int64']) ajv.addFormat(format, true)
const [isProblem, isOperatorProblem] = [ajv.compile(problemSchemas.partner), ajv.compile(problemSchemas.operator)]
const bodyChecks = new Map<JsonSchema, (value: unknown) => boolean>()

/** Text that shows internal details of the service. */
const internals = /node_modules|\.ts:\d+|\bat \S+ \(|\bselect \S+ from\b|insert into|ECONN|SQLSTATE|\bDatabaseError/

/** Statuses that say that a request does not have the documented shape. */
const shapeRejections = [400, 401, 403, 405, 406, 413, 415]

/**
 * Operations that send messages to a server that has not agreed to get any, which are limited an hour whatever the
 * settings.
 */
const sendsMessages = ['sendVerification', 'sendTestEvent', 'redeliver']

/**
 * For a body larger than this, no response is required: HTTP lets the server close the connection before it has read
 * the whole body.
 */
const bodyLimitBytes = 65_536
const deepestNesting = 20
/** A longer request line leaves too little of the 16 KiB for the headers. The document does not cover this. */
const longestTarget = 15_000

/** Everything that is wrong with the response to a request; usually nothing. */
export function judge(request: SentRequest, outcome: Outcome): string[] {
  if ('failure' in outcome) {
    const isTooLarge = (request.body?.length ?? 0) > bodyLimitBytes
    return isTooLarge ? [] : [`there was no response: ${outcome.failure}`]
  }
  const complaints = [...aboutStatus(request, outcome), ...aboutForm(request, outcome)]
  if (internals.test(outcome.text)) complaints.push('the response reveals internals')
  if (outcome.headers.get('x-request-id') === null) complaints.push('X-Request-Id is missing')
  return complaints
}

function aboutStatus({ plan, target, body }: SentRequest, { status }: ReceivedResponse): string[] {
  const complaints: string[] = []
  if (status >= 500) complaints.push(`${status}, though no upstream was set to be down`)
  if (status === 429 && !sendsMessages.includes(plan.operation.operationId))
    complaints.push('429, though no limit is set')
  if (!plan.isPlain || target.length > longestTarget) return complaints
  // The document cannot say that a parameter is required while the quote has no tenants.
  if (plan.operation.operationId === 'estimateQuote' && !target.includes('tenants=')) return complaints
  const { api, idOf } = plan.operation
  // Properties belong to no partner, so any partner may refer to them. The operator's software may refer to everything
  // that there is.
  const isOurs = idOf !== undefined && idOf !== 'addressUid' && (api === 'partner' || plan.whose !== 'foreign')
  if (isOurs && plan.whose !== 'own' && status === 200) complaints.push(`200 for an id that is ${plan.whose}`)
  const accepts = documentAccepts(plan.operation, plan.headers, body)
  if (accepts === true && shapeRejections.includes(status))
    complaints.push(`${status} for a request that the document allows`)
  if (accepts === false && status === 200) complaints.push('200 for a body that the document does not allow')
  return complaints
}

/**
 * Whether the document, with what its description says about null, allows this body. Undefined if the document does not
 * decide: token calls read forms and ignore unknown fields.
 */
function documentAccepts(
  { body: described, method, needsToken, operationId }: Operation,
  headers: SentRequest['headers'],
  body: Buffer | undefined,
): boolean | undefined {
  if (!needsToken) return undefined
  // Spaces around an empty object count too.
  const limit = /^(create|update)Import$/.test(operationId) ? 1_048_576 : bodyLimitBytes
  if (body !== undefined && body.length > limit) return described === undefined ? undefined : false
  const isEmpty = body === undefined || /^\s*$/.test(body.toString('latin1'))
  if (described === undefined) return isEmpty || isEmptyObjectOrNull(body) ? true : undefined
  if (isEmpty) return !described.required
  if (!described.required && isEmptyObjectOrNull(body)) return true
  if (headers.some(([name, value]) => name === 'content-type' && value !== 'application/json')) return undefined
  const value = parse(body)
  if (value === undefined) return false
  if (isNestedDeeper(value.parsed, deepestNesting)) return undefined
  if (method !== 'PATCH') removeOptionalNulls(described.schema, value.parsed)
  return checkOf(described.schema)(value.parsed)
}

/**
 * Whether the value has more levels than this. The document does not say how many it may have; docs/api-behaviour.md
 * does.
 */
function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isNestedDeeper(inner, levels - 1))
}

function isEmptyObjectOrNull(body: Buffer): boolean {
  return /^\s*(\{\s*\}|null)\s*$/.test(body.toString('latin1'))
}

function parse(body: Buffer): { parsed: unknown } | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    const parsed: unknown = JSON.parse(text)
    return repeatedMember(text) === undefined ? { parsed } : undefined
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

/**
 * What is wrong with a response's form. Every response must be documented for the operation or be an error in the
 * common error shape.
 */
function aboutForm({ plan, method, target }: SentRequest, answer: ReceivedResponse): string[] {
  if (method === 'HEAD') return answer.text === '' ? [] : ['the response to HEAD has a body']
  const { status, headers, text } = answer
  // An unusual path that returns 200 must return what the operation documents.
  const path = status === 200 && !plan.isPlain ? plan.operation.path.replace(/\{\w+\}/g, 'x') : target
  const isJson = /[/+]json/.test(headers.get('content-type') ?? '')
  try {
    const body: unknown = isJson ? JSON.parse(text) : undefined
    checkResponse(method, path, { ...answer, body })
    if (status < 400 || /\/(token|revoke)$/.test(plan.operation.path)) return []
    return aboutProblem(plan.operation.api === 'operator' ? isOperatorProblem : isProblem, body, answer)
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

function aboutProblem(isValid: typeof isProblem, body: unknown, { status, headers }: ReceivedResponse): string[] {
  if (!isValid(body)) return [`the error is not a problem document: ${ajv.errorsText(isValid.errors)}`]
  const { status: said, requestId, type, code } = body as Record<string, unknown>
  const complaints: string[] = []
  if (headers.get('content-type') !== 'application/problem+json; charset=utf-8')
    complaints.push(`the problem document has the content type ${headers.get('content-type')}`)
  if (said !== status) complaints.push(`the problem document has the status ${said}`)
  if (requestId !== headers.get('x-request-id')) complaints.push('the problem document has a different requestId')
  if (!String(type).endsWith(`/docs/errors/${code}`)) complaints.push(`the type ${type} does not belong to ${code}`)
  return complaints
}
