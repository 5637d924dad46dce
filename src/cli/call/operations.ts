import { Command } from 'commander'
import { cleared, type FieldSchema, fieldOption } from './fields.ts'

interface Schema extends FieldSchema {
  $ref?: string
  properties?: Record<string, Schema>
  required?: readonly string[]
}

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: Schema
}

interface DescribedOperation {
  operationId: string
  summary: string
  description?: string
  tags: readonly [string]
  parameters?: readonly Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

/** What is read of the OpenAPI document of a deployment. */
export interface ApiDocument {
  info: { title: string }
  paths: Record<string, Record<string, DescribedOperation>>
  components: { schemas: Record<string, Schema> }
}

/** One operation, and where each of its fields goes. */
export interface CalledOperation {
  operationId: string
  method: string
  path: string
  parameters: readonly Parameter[]
  hasBody: boolean
}

/**
 * The operations of an API as commands: each takes its parameters and the members of its body as options of the same
 * name, and is run with what was given.
 */
export function operationCommands(
  document: ApiDocument,
  parent: Command,
  run: (operation: CalledOperation, given: Record<string, unknown>) => Promise<void>,
): Command {
  const commands = new Command('housebill call')
    .copyInheritedSettings(parent)
    .usage('<operationId> [--field value ...]')
  commands.description(`The operations of the ${document.info.title}. "call <operationId> --help" shows their fields.`)
  commands.helpCommand(false).helpOption('-h, --help', 'show the fields')
  commands.configureHelp({ ...commands.configureHelp(), subcommandTerm: (command) => command.name() })
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, described] of Object.entries(methods)) {
      const { operationId, summary, description, tags, parameters = [], requestBody } = described
      // Tokens are fetched by themselves.
      if (tags[0] === 'Authentication') continue
      const body = resolve(document, requestBody?.content['application/json']?.schema)
      const operation = { operationId, method: method.toUpperCase(), path, parameters, hasBody: body !== undefined }
      const command = commands.command(operationId).summary(summary).helpGroup(tags[0])
      command.description(`${summary}.\n\n${operation.method} ${path}\n\n${description ?? ''}`)
      for (const { name, required, description: about = '', schema } of parameters) {
        const field = { ...resolve(document, schema), description: about }
        const option = fieldOption(name, field, { isRequired: required === true })
        command.addOption(required === true ? option.makeOptionMandatory() : option)
      }
      for (const [name, schema] of Object.entries(body?.properties ?? {}))
        command.addOption(
          fieldOption(name, resolve(document, schema), { isRequired: body?.required?.includes(name) === true }),
        )
      command.action((given: Record<string, unknown>) => {
        const fields = Object.entries(given).map(([name, value]) => [name, value === cleared ? null : value])
        return run(operation, Object.fromEntries(fields))
      })
    }
  return commands
}

function resolve(document: ApiDocument, schema: Schema): Schema
function resolve(document: ApiDocument, schema: Schema | undefined): Schema | undefined
function resolve(document: ApiDocument, schema: Schema | undefined): Schema | undefined {
  const { $ref, ...own } = schema ?? {}
  if ($ref === undefined) return schema
  return { ...document.components.schemas[$ref.replace('#/components/schemas/', '')], ...own }
}
