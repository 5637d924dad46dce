import type { ClientSource, DescribedOperation } from './described-operations.ts'
import { type JourneyStep, journeyInputs, typicalJourney } from './typical-journey.ts'

/**
 * The content of the Postman collection (format 2.1): the typical journey as a folder that can be run, and a folder of requests for each
 * group of operations. A script gets the token before the first request.
 */
export function renderPostmanCollection({ operations }: ClientSource, publicUrl: string): string {
  const groups = Map.groupBy(operations, ({ group }) => group)
  const collection = {
    info: {
      name: 'Housebill partner API',
      description:
        'Set the variables `baseUrl`, `clientId` and `clientSecret`, and run the folder "Journey". The other folders have a request for each operation, and use the ids that the journey saved.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{accessToken}}', type: 'string' }] },
    event: [script('prerequest', tokenScript)],
    variable: Object.entries({ baseUrl: publicUrl, ...journeyInputs }).map(([key, value]) => ({ key, value })),
    item: [
      {
        name: 'Journey',
        description: 'The typical order of use, from an address to a contract. It needs a sandbox.',
        item: typicalJourney.map((step) => renderStep(step, operations)),
      },
      ...[...groups].map(([name, group]) => ({ name, item: group.map((operation) => renderItem(operation)) })),
    ],
  }
  return `${JSON.stringify(collection, null, 2)}\n`
}

/** Gets a token unless there is one that is valid for another minute. */
const tokenScript = `if (pm.request.auth?.type === 'noauth') return
if (Number(pm.collectionVariables.get('accessTokenEndsAt')) > Date.now() + 60_000) return
const tokenRequest = {
  url: pm.variables.replaceIn('{{baseUrl}}/partner-api/Auth/token'),
  method: 'POST',
  header: { 'Content-Type': 'application/json' },
  body: {
    mode: 'raw',
    raw: JSON.stringify({ clientId: pm.variables.get('clientId'), clientSecret: pm.variables.get('clientSecret') }),
  },
}
pm.sendRequest(tokenRequest, (error, response) => {
  if (error || response.code !== 200) throw new Error('no token: check baseUrl, clientId and clientSecret')
  const { access_token, expires_in } = response.json()
  pm.collectionVariables.set('accessToken', access_token)
  pm.collectionVariables.set('accessTokenEndsAt', Date.now() + expires_in * 1_000)
})`

function renderStep(step: JourneyStep, operations: readonly DescribedOperation[]): object {
  const operation = operations.find(({ operationId }) => operationId === step.operationId)
  if (operation === undefined) throw new Error(`the journey calls ${step.operationId}, which is no operation`)
  const { saves = {}, expects = {} } = step
  const lines = [
    "pm.test('succeeds', () => pm.response.to.have.status(200))",
    'const body = pm.response.json()',
    ...Object.entries(expects).map(
      ([pointer, value]) =>
        `pm.test('${pointer} is ${value}', () => pm.expect(${memberAt(pointer)}).to.equal('${value}'))`,
    ),
    ...Object.entries(saves).map(([name, pointer]) => `pm.collectionVariables.set('${name}', ${memberAt(pointer)})`),
  ]
  return { ...renderItem(operation, step), event: [script('test', lines.join('\n'))] }
}

/** The member of `body` at a JSON Pointer, as JavaScript. */
function memberAt(pointer: string): string {
  const parts = pointer.slice(1).split('/')
  return `body${parts.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`)).join('')}`
}

/** A request. Without a step, it has the body of the example, and its query is switched off. */
function renderItem(operation: DescribedOperation, step?: JourneyStep): object {
  const { operationId, method, path, ids, summary, description, isPublic, takesKey, responseExample } = operation
  const body = step === undefined ? operation.body?.example : step.body
  const left = [...ids]
  const raw = `{{baseUrl}}${path.replace(/\{\w+\}/g, () => `:${left.shift()}`)}`
  const query = operation.query
    .filter(({ name }) => step === undefined || step.query?.[name] !== undefined)
    .map(({ name, required = false, description: meaning = '' }) => {
      const value = step?.query?.[name] ?? (required ? `{{${name}}}` : '')
      return { key: name, value, description: meaning, disabled: step === undefined && !required }
    })
  const request = {
    method,
    description,
    ...(isPublic ? { auth: { type: 'noauth' } } : {}),
    header: [
      ...(body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
      ...(takesKey ? [{ key: 'Idempotency-Key', value: '{{$guid}}' }] : []),
    ],
    url: {
      raw,
      host: ['{{baseUrl}}'],
      path: raw.split('/').slice(1),
      ...(query.length === 0 ? {} : { query }),
      ...(ids.length === 0
        ? {}
        : { variable: ids.map((id, index) => ({ key: id, value: step?.ids?.[index] ?? `{{${variableOf(id)}}}` })) }),
    },
    ...(body === undefined ? {} : { body: { mode: 'raw', raw: JSON.stringify(body, null, 2) } }),
  }
  if (step !== undefined) return { name: summary, request }
  const shown = { 'Content-Type': 'application/json' }
  const response = {
    name: 'Example',
    originalRequest: request,
    code: 200,
    status: 'OK',
    header: Object.entries(shown).map(([key, value]) => ({ key, value })),
    body: JSON.stringify(responseExample, null, 2),
  }
  return { name: `${summary} (${operationId})`, request, response: [response] }
}

/** The variable with this id: a customer is a tenant whose id the journey saved. */
function variableOf(id: string): string {
  return id === 'customerId' ? 'tenantId' : id === 'uid' ? 'addressUid' : id
}

function script(listen: string, text: string): object {
  return { listen, script: { type: 'text/javascript', exec: text.split('\n') } }
}
