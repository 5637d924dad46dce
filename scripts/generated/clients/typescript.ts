import { renderType, type Schema } from '../type-of-schema.ts'
import {
  type ClientSource,
  type DescribedOperation,
  generatedBy,
  isPaged,
  nameOfSchema,
  querySchema,
  queryTypeName,
} from './described-operations.ts'

/** The content of `api-types.ts`: a type for each schema, and one for the query of each operation that has one. */
export function renderTypeScriptTypes({ schemas, operations, messages }: ClientSource): string {
  const queries = operations.flatMap((operation): [string, Schema][] => {
    const schema = querySchema(operation)
    return schema === undefined
      ? []
      : [[queryTypeName(operation), describedAs(schema, `What to send with ${operation.operationId}.`)]]
  })
  const message: Schema = {
    anyOf: messages,
    description: 'A message that a webhook receives. Ignore types you do not know.',
  }
  const types = [...Object.entries(schemas), ...queries, ['WebhookMessage', message] as const]
  return `// ${generatedBy}\n\n${types.map(([name, schema]) => renderDeclaration(name, schema)).join('\n')}`
}

function describedAs(schema: Schema, description: string): Schema {
  return { ...schema, description }
}

function renderDeclaration(name: string, schema: Schema): string {
  const written = renderType(schema, 0)
  const declared = written.startsWith('{') ? `interface ${name} ${written}` : `type ${name} = ${written}`
  return `${renderComment(schema.description, '')}export ${declared}\n`
}

/** The content of `operations.ts`: a class with a method for each operation. */
export function renderTypeScriptOperations({ version, schemas, operations }: ClientSource): string {
  const methods = operations.map((operation) => renderMethod(operation, schemas))
  const used = new Set(
    methods
      .join('')
      .replaceAll(/^ *\/?\*.*$/gm, '')
      .match(/\b[A-Z]\w+\b/g),
  )
  const types = [...Object.keys(schemas), ...operations.map(queryTypeName)].filter((name) => used.has(name)).sort()
  return `// ${generatedBy}

import type {
${types.map((name) => `  ${name},\n`).join('')}} from './api-types.ts'
import { type Call, type CallOptions, segment } from './call.ts'
import { type Paged, paged } from './pages.ts'

/** The version of the API document from which this was generated. */
export const documentVersion = '${version}'

/** A method for each operation of the partner API, under the operation's name. */
export abstract class Operations {
  /** Sends a call and returns the body of the successful response. */
  protected abstract send<Response>(call: Call, options: CallOptions): Promise<Response>

${methods.join('\n')}}
`
}

function renderMethod(operation: DescribedOperation, schemas: ClientSource['schemas']): string {
  const { operationId, method, path, ids, body, query, response, isPublic, takesKey } = operation
  const left = [...ids]
  const written = path.replace(/\{\w+\}/g, () => `\${segment(${left.shift()})}`)
  const isQueryRequired = query.some(({ required }) => required)
  const parameters = [
    ...ids.map((id) => `${id}: string`),
    ...(body === undefined ? [] : [`body${body.isRequired ? '' : '?'}: ${renderType(body.schema, 1)}`]),
    ...(query.length === 0 ? [] : [`query: ${queryTypeName(operation)}${isQueryRequired ? '' : ' = {}'}`]),
    'options: CallOptions = {}',
  ]
  const given = [
    `operationId: '${operationId}'`,
    `method: '${method}'`,
    `path: ${ids.length === 0 ? `'${path}'` : `\`${written}\``}`,
    ...(query.length === 0 ? [] : [isPaged(operation) ? 'query: { ...query, cursor }' : 'query: { ...query }']),
    ...(body === undefined ? [] : ['body']),
    ...(takesKey ? ['takesKey'] : []),
    ...(isPublic ? ['isPublic'] : []),
  ].map((member) => (/^(takesKey|isPublic)$/.test(member) ? `${member}: true` : member))
  const call = `{ ${given.join(', ')} }`
  const sent = call.length < 80 ? `${call}, options` : `\n      ${call},\n      options,\n    `
  const type = renderType(response, 1)
  const returned = isPaged(operation) ? `Paged<${entryTypeOf(response, schemas)}>` : `Promise<${type}>`
  const statement = isPaged(operation)
    ? `paged((cursor = query.cursor) => this.send<${type}>(${sent}))`
    : `this.send(${sent})`
  return `${renderMethodComment(operation)}  ${operationId}(${parameters.join(', ')}): ${returned} {
    return ${statement}
  }
`
}

/** The type of the entries of a page. */
function entryTypeOf(page: Schema, schemas: ClientSource['schemas']): string {
  const items = schemas[nameOfSchema(page)]?.properties?.data?.items
  if (items === undefined) throw new Error(`${nameOfSchema(page)} is no page of a list`)
  return renderType(items, 1)
}

function renderMethodComment({ summary, description, errorCodes }: DescribedOperation): string {
  const codes = errorCodes.length === 0 ? '' : ` Fails with ${errorCodes.map((code) => `\`${code}\``).join(', ')}.`
  return renderComment(`${summary}. ${description}${codes}`, '  ')
}

function renderComment(text: string | undefined, margin: string): string {
  if (text === undefined) return ''
  const lines = wrappedText(text.replaceAll('*/', '*\\/'))
  if (lines.length === 1) return `${margin}/** ${lines[0]} */\n`
  return `${margin}/**\n${lines.map((line) => `${margin} * ${line}\n`).join('')}${margin} */\n`
}

/** A text in lines of at most 112 characters, broken at spaces. */
function wrappedText(text: string): string[] {
  const words = text.trim().replaceAll(/\s+/g, ' ')
  return (words.match(/.{1,112}(?:\s|$)/g) ?? [words]).map((line) => line.trimEnd())
}
