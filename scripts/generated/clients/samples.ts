import type { RecordedOperation } from '../../../src/http/openapi/examples.ts'
import { type ClientSource, type DescribedOperation, isPaged, nameOfSchema } from './described-operations.ts'
import { snakeCase } from './python.ts'
import { type Argument, type CodeStyle, renderCall } from './sample-code.ts'
import { journeyInputs } from './typical-journey.ts'

/** What a sample sends. */
export type SampleCall = Pick<RecordedOperation, 'ids' | 'query'> & { body?: unknown }

/** The server that a sample calls, and its credentials. */
export interface SampleServer {
  baseUrl: string
  clientId: string
  clientSecret: string
}

/** A program that makes one call with a client of ours and prints what it returns. */
export type RenderSample = (operation: DescribedOperation, call: SampleCall, server: SampleServer) => string

/** The languages of the samples, in the order in which the reference offers them. */
export const sampleLanguages: Readonly<Record<string, { label: string; render: RenderSample }>> = {
  typescript: { label: 'TypeScript', render: renderTypeScriptSample },
  python: { label: 'Python', render: renderPythonSample },
}

/** The content of `samples.json`: for each operation, the program in each language that makes the recorded call. */
export function renderSamples(
  { operations }: ClientSource,
  recorded: Readonly<Record<string, RecordedOperation>>,
  publicUrl: string,
): string {
  const { clientId, clientSecret } = journeyInputs
  const server = { baseUrl: publicUrl, clientId, clientSecret }
  const samples = operations.map((operation) => {
    const { operationId, ids } = operation
    const call = recorded[operationId]
    if (call === undefined || (call.ids ?? []).length !== ids.length) throw new Error(`no example of ${operationId}`)
    const { request, ...sent } = call
    const programs = Object.entries(sampleLanguages).map(([lang, { label, render }]) => ({
      lang,
      label,
      source: render(operation, { ...sent, ...(operation.body === undefined ? {} : { body: request }) }, server),
    }))
    return [operationId, programs]
  })
  return `${JSON.stringify(Object.fromEntries(samples), null, 2)}\n`
}

const typescript: CodeStyle = {
  text: (value) => `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`,
  member: (name, written) => `${/^[A-Za-z_]\w*$/.test(name) ? name : typescript.text(name)}: ${written}`,
  words: { true: 'true', false: 'false', null: 'null' },
  margin: '  ',
  padding: ' ',
}

function renderTypeScriptSample(operation: DescribedOperation, call: SampleCall, server: SampleServer): string {
  const { operationId } = operation
  const query = queryOf(operation, call)
  const given = [...argumentsOf(operation, call), ...(Object.keys(query).length === 0 ? [] : [{ data: query }])]
  const name = resultName(operation)
  const made = (head: string) => renderCall(`${head}client.${operationId}`, given, typescript)
  const use = isPaged(operation)
    ? `${made(`for await (const ${name} of `)}) {\n  console.log(${name})\n}`
    : `${made(`const ${name} = await `)}\nconsole.log(${name})`
  return `import { HousebillClient } from 'housebill-client'

${renderCall('const client = new HousebillClient', [{ data: server }], typescript)}

${use}`
}

const python: CodeStyle = {
  text: (value) => JSON.stringify(value),
  member: (name, written) => `${JSON.stringify(name)}: ${written}`,
  words: { true: 'True', false: 'False', null: 'None' },
  margin: '    ',
  padding: '',
}

function renderPythonSample(operation: DescribedOperation, call: SampleCall, server: SampleServer): string {
  const method = `client.${snakeCase(operation.operationId)}`
  const query = Object.entries(queryOf(operation, call)).map(([name, data]) => ({ prefix: `${name}=`, data }))
  const given = [...argumentsOf(operation, call), ...query]
  const name = snakeCase(resultName(operation))
  const use = isPaged(operation)
    ? `${renderCall(`for ${name} in client.iterate`, [{ prefix: method }, ...given], python)}:\n    print(${name})`
    : `${renderCall(`${name} = ${method}`, given, python)}\nprint(${name})`
  const credentials = Object.values(server).map((data) => ({ data }))
  return `from housebill_client import HousebillClient

${renderCall('client = HousebillClient', credentials, python)}

${use}`
}

/** The ids and the body. A body that may be left out is left out if there is none. */
function argumentsOf({ body }: DescribedOperation, call: SampleCall): Argument[] {
  const ids = (call.ids ?? []).map((data) => ({ data }))
  return body === undefined || call.body === undefined ? ids : [...ids, { data: call.body }]
}

/** The query in its own types. Without the size of the pages of a list, which a loop reads one after the other. */
function queryOf(operation: DescribedOperation, { query = {} }: SampleCall): Record<string, string | number> {
  const isNumber = (name: string) =>
    operation.query.some((each) => each.name === name && each.schema.type === 'integer')
  return Object.fromEntries(
    Object.entries(query)
      .filter(([name]) => !(isPaged(operation) && name === 'limit'))
      .map(([name, value]) => [name, isNumber(name) ? Number(value) : value]),
  )
}

/** What the response is, such as `quote`; `addresses` for a list; for a list with pages, what one entry is. */
function resultName(operation: DescribedOperation): string {
  const { response } = operation
  const type = response.items === undefined ? nameOfSchema(response) : nameOfSchema(response.items)
  const name = `${type.charAt(0).toLowerCase()}${type.slice(1)}`
  if (isPaged(operation)) return name.replace(/List$/, '')
  return response.items === undefined ? name : `${name}${name.endsWith('s') ? 'es' : 's'}`
}
