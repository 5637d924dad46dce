import type { Schema } from '../type-of-schema.ts'
import {
  type ClientSource,
  type DescribedOperation,
  generatedBy,
  querySchema,
  queryTypeName,
} from './described-operations.ts'
import { wrappedText } from './wrapped-text.ts'

/** Names that Python reserves. A TypedDict with such a member needs another syntax, and a parameter another name. */
const reserved = new Set([
  'from',
  'in',
  'is',
  'as',
  'class',
  'def',
  'if',
  'import',
  'pass',
  'not',
  'and',
  'or',
  'with',
  'type',
])
/** Of those, the names that are only shadowed and so may be members. */
const shadowed = new Set(['type'])

/** The content of `api_types.py`: a TypedDict or an alias for each schema. Members that may be missing are NotRequired. */
export function renderPythonTypes({ schemas, operations, messages }: ClientSource): string {
  const queries = operations.flatMap((operation): [string, Schema][] => {
    const schema = querySchema(operation)
    const description = `What to send with ${snakeCase(operation.operationId)}.`
    return schema === undefined ? [] : [[queryTypeName(operation), { ...schema, description }]]
  })
  const message: Schema = {
    anyOf: messages,
    description: 'A message that a webhook receives. Ignore types you do not know.',
  }
  const all: [string, Schema][] = [...Object.entries(schemas), ...queries, ['WebhookMessage', message]]
  const aliases = all.filter(([, schema]) => schema.properties === undefined)
  const objects = all.filter(([, schema]) => schema.properties !== undefined)
  return `# ${generatedBy}
"""The requests and responses of the partner API, as types for editors and type checkers. At run time they are plain dicts."""
from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, Union

${objects.map(([name, schema]) => renderObject(name, schema)).join('\n')}
${orderAliases(aliases)
  .map(([name, schema]) => renderAlias(name, schema))
  .join('\n')}`
}

/** Aliases are evaluated when the module is loaded, so an alias must come after those that it names. */
function orderAliases(aliases: readonly [string, Schema][]): [string, Schema][] {
  const left = new Map(aliases)
  const ordered: [string, Schema][] = []
  while (left.size > 0) {
    const ready = [...left].filter(([, schema]) => ![...left.keys()].some((name) => refersTo(schema, name)))
    if (ready.length === 0) throw new Error(`${[...left.keys()]} refer to each other`)
    for (const [name] of ready) left.delete(name)
    ordered.push(...ready)
  }
  return ordered
}

function refersTo(schema: Schema, name: string): boolean {
  return JSON.stringify(schema).includes(`"#/components/schemas/${name}"`)
}

function renderObject(name: string, { properties = {}, required = [], description }: Schema): string {
  const members = Object.entries(properties).map(([member, schema]) => {
    const type = renderType(schema)
    return { member, schema, type: required.includes(member) ? type : `NotRequired[${type}]` }
  })
  if (members.some(({ member }) => reserved.has(member) && !shadowed.has(member))) {
    const lines = members.map(
      ({ member, schema, type }) => `${comment(schema)}    ${quoted(member)}: ${quoted(type)},\n`,
    )
    return `${name} = TypedDict(${quoted(name)}, {\n${lines.join('')}})\n${docstring(description, '')}\n`
  }
  const lines = members.map(({ member, schema, type }) => `${comment(schema)}    ${member}: ${type}\n`)
  return `class ${name}(TypedDict):\n${docstring(description ?? `${name}.`, '    ')}${lines.join('')}\n`
}

function renderAlias(name: string, schema: Schema): string {
  return `${name} = ${renderType(schema)}\n${docstring(schema.description, '')}`
}

function docstring(text: string | undefined, margin: string): string {
  if (text === undefined) return ''
  const lines = wrappedText(text.replaceAll('\\', '\\\\').replaceAll('"""', "'''"))
  const end = lines.length === 1 ? '' : `\n${margin}`
  return `${margin}"""${lines.join(`\n${margin}`)}${end}"""\n`
}

function comment({ description }: Schema): string {
  return description === undefined
    ? ''
    : wrappedText(description)
        .map((line) => `    # ${line}\n`)
        .join('')
}

function quoted(text: string): string {
  return JSON.stringify(text)
}

/** Writes a schema as a Python type. Throws for unsupported schemas. */
function renderType(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
  if ('const' in schema) return `Literal[${literal(schema.const)}]`
  if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(', ')}]`
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives !== undefined) return union(alternatives.map(renderType))
  if (typeof schema.type === 'object') return union(schema.type.map((type) => renderType({ ...schema, type })))
  switch (schema.type) {
    case 'string':
      return 'str'
    case 'boolean':
      return 'bool'
    case 'null':
      return 'None'
    case 'integer':
      return 'int'
    case 'number':
      return 'float'
    case 'array':
      return `list[${renderType(schema.items ?? {})}]`
    case 'object':
      return typeof schema.additionalProperties === 'object'
        ? `dict[str, ${renderType(schema.additionalProperties)}]`
        : 'dict[str, Any]'
    default:
      throw new Error(`unsupported schema: ${JSON.stringify(schema)}`)
  }
}

function union(types: readonly string[]): string {
  return types.length === 1 ? (types[0] ?? '') : `Union[${types.join(', ')}]`
}

function literal(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return JSON.stringify(value)
}

/** The content of `operations.py`: a class with a method for each operation, under its name in Python's spelling. */
export function renderPythonOperations({ version, operations }: ClientSource): string {
  return `# ${generatedBy}
"""A method for each operation of the partner API."""
from __future__ import annotations

from typing import Any, Unpack
from urllib.parse import quote

from . import api_types as t

#: The version of the API document from which this was generated.
DOCUMENT_VERSION = ${quoted(version)}


def _segment(id: str) -> str:
    """An id as a part of a path. Raises ValueError for one that would lead to another path."""
    if id in ("", ".", ".."):
        raise ValueError(f"{id!r} is not an id")
    return quote(id, safe="")


class Operations:
    """A method for each operation, under its operationId in snake case."""

    def _send(
        self, operation: str, method: str, path: str, *, query: Any = None, body: Any = None,
        key: str | None = None, takes_key: bool = False, is_public: bool = False,
    ) -> Any:
        raise NotImplementedError

${operations.map(renderMethod).join('\n')}`
}

function renderMethod(operation: DescribedOperation): string {
  const { operationId, method, path, ids, body, query, response, isPublic, takesKey } = operation
  const names = ids.map(snakeCase)
  const left = [...names]
  const written = path.replace(/\{\w+\}/g, () => `{_segment(${left.shift()})}`)
  const parameters = [
    'self',
    ...names.map((name) => `${name}: str`),
    ...(body === undefined ? [] : [`body: ${typeOfModule(body.schema)}${body.isRequired ? '' : ' | None = None'}`]),
    ...(takesKey ? ['*', 'idempotency_key: str | None = None'] : []),
    ...(query.length === 0 ? [] : [`**query: Unpack[t.${queryTypeName(operation)}]`]),
  ]
  const given = [
    quoted(operationId),
    quoted(method),
    `${ids.length === 0 ? '' : 'f'}${quoted(written)}`,
    ...(query.length === 0 ? [] : ['query=query']),
    ...(body === undefined ? [] : ['body=body']),
    ...(takesKey ? ['key=idempotency_key', 'takes_key=True'] : []),
    ...(isPublic ? ['is_public=True'] : []),
  ]
  return `    def ${snakeCase(operationId)}(${parameters.join(', ')}) -> ${typeOfModule(response)}:
${docstring(describe(operation), '        ')}        return self._send(${given.join(', ')})
`
}

function typeOfModule(schema: Schema): string {
  return renderType(schema).replaceAll(/\b([A-Z]\w+)\b/g, 't.$1')
}

function describe({ summary, description, errorCodes }: DescribedOperation): string {
  const codes = errorCodes.length === 0 ? '' : ` Fails with ${errorCodes.map((code) => `\`${code}\``).join(', ')}.`
  return `${summary}. ${description}${codes}`
}

/** `createQuote` as `create_quote`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
