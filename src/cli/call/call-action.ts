import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { Command } from 'commander'
import { loadEnvironment } from '../../platform/config/load-environment.ts'
import { CommandError, type CommandProblem } from '../../platform/kernel/command-error.ts'
import { baseUrlOf } from '../developer/access-options.ts'
import { invocation } from '../invocation.ts'
import { type JsonOption, print, printError, printJson } from '../print.ts'
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
interface ApiDocument {
  info: { title: string }
  paths: Record<string, Record<string, DescribedOperation>>
  components: { schemas: Record<string, Schema> }
}

/** One operation, and where each of its fields goes. */
interface CalledOperation {
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
function operationCommands(
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

/** The options of every call, whatever the operation. They are hyphenated; fields are written as the API names them. */
export interface CallOptions extends JsonOption {
  baseUrl?: string
  partner?: true
  /** An object to which the fields are added. */
  body?: Record<string, unknown>
  all?: true
}

const apis = {
  operator: { document: '/operator-api/openapi.json', token: '/operator-api/Auth/token', credentials: 'OPERATOR' },
  partner: { document: '/openapi.json', token: '/partner-api/Auth/token', credentials: 'SANDBOX' },
} as const

/** `housebill call`: `args` are the operation and its fields. Without them, lists the operations. */
export async function runCall(args: readonly string[], options: CallOptions, command: Command): Promise<void> {
  if (args[0] === '--help' || args[0] === '-h') return command.outputHelp()
  const operations = await readOperations(options, command)
  if (args.length === 0) return operations.outputHelp()
  await operations.parseAsync([...args], { from: 'user' })
}

/** The operations of the deployment that the options or the environment name, as commands. Throws CommandError. */
export async function readOperations(options: CallOptions, command: Command): Promise<Command> {
  const api = options.partner ? apis.partner : apis.operator
  const names = [`${api.credentials}_CLIENT_ID`, `${api.credentials}_CLIENT_SECRET`] as const
  const environment = await loadEnvironment({ names: [names[1]], source: invocation().environment })
  const baseUrl = baseUrlOf(options.baseUrl, environment, command)
  const document = (await (await send(`${baseUrl}${api.document}`)).json()) as ApiDocument
  return operationCommands(document, command, async (operation, given) => {
    const [clientId, clientSecret] = [environment[names[0]], environment[names[1]]]
    const missing = names.filter((name) => environment[name] === undefined)
    if (missing.length > 0)
      throw new CommandError(
        'credentials_missing',
        `${missing.join(' and ')} must be set to credentials of the ${options.partner ? 'partner' : 'operator: "npx housebill operator create" makes some'}.`,
      )
    const issued = await send(`${baseUrl}${api.token}`, jsonRequest('POST', { clientId, clientSecret }))
    const { access_token: token } = (await issued.json()) as { access_token: string }
    await callOperation(operation, given, options, { baseUrl, token })
  })
}

async function callOperation(
  { method, path, parameters, hasBody }: CalledOperation,
  { ...fields }: Record<string, unknown>,
  { body: given, all, json }: CallOptions,
  { baseUrl, token }: { baseUrl: string; token: string },
): Promise<void> {
  const url = new URL(baseUrl + path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(`${fields[name]}`)))
  const headers: Record<string, string> = { Authorization: `Bearer ${token}` }
  for (const { name, in: place } of parameters) {
    const { [name]: value } = fields
    delete fields[name]
    if (place === 'header' && (value !== undefined || name === 'Idempotency-Key'))
      headers[name] = `${value ?? randomUUID()}`
    if (place === 'query' && value !== undefined) url.searchParams.set(name, `${value}`)
  }
  const request = jsonRequest(method, hasBody ? { ...given, ...fields } : undefined, headers)
  const response = await send(url, request)
  const cursor = response.headers.get('housebill-next-cursor')
  if (cursor !== null) printError(`Housebill-Next-Cursor: ${cursor}`)
  if (!response.headers.get('content-type')?.startsWith('application/json')) return copyToOutput(response)
  const result = (await response.json()) as { data?: unknown[]; nextCursor?: string | null }
  const isPaged = parameters.some(({ name }) => name === 'cursor')
  while (all && isPaged && typeof result.nextCursor === 'string') {
    url.searchParams.set('cursor', result.nextCursor)
    const next = (await (await send(url, request)).json()) as typeof result
    result.data?.push(...(next.data ?? []))
    result.nextCursor = next.nextCursor ?? null
  }
  if (json) return printJson(result)
  print(JSON.stringify(result, null, 2))
  if (isPaged && typeof result.nextCursor === 'string')
    printError(`There is more: add --cursor ${result.nextCursor}, or --all.`)
}

function jsonRequest(method: string, body: object | undefined, headers: Record<string, string> = {}): RequestInit {
  if (body === undefined) return { method, headers }
  return { method, headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
}

/** Sends a request without following redirects, so that a token reaches no other host. Throws CommandError. */
async function send(url: string | URL, request: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, { ...request, redirect: 'manual' }).catch((error: Error) => {
    const { code = error.message } = (error.cause ?? {}) as NodeJS.ErrnoException
    const key = new Headers(request.headers).get('Idempotency-Key')
    const again = key === null ? '' : ` To repeat the call safely, add --Idempotency-Key ${key}.`
    throw new CommandError(
      'connection_failed',
      `${new URL(url).origin} cannot be reached (${code}). Start the service, or set its address with --base-url.${again}`,
    )
  })
  if (response.ok) return response
  const problem = await response.json().catch(() => ({}))
  const { code, title, detail, requestId, errors, error_description: reason } = problem as ProblemOfApi
  throw new CommandError(
    code ?? `http_${response.status}`,
    // The fields say the detail again.
    (errors === undefined ? detail : title) ??
      reason ??
      `${new URL(url).origin} returned HTTP ${response.status}. Check --base-url.`,
    { problems: errors ?? [], details: requestId === undefined ? {} : { requestId } },
  )
}

/** What is read of a problem document, or of an error of a token call. */
interface ProblemOfApi {
  code?: string
  title?: string
  detail?: string
  requestId?: string
  errors?: readonly CommandProblem[]
  error_description?: string
}

async function copyToOutput({ body }: Response): Promise<void> {
  const { stdout } = invocation()
  for await (const part of body === null ? [] : Readable.fromWeb(body))
    await new Promise<void>((resolve, reject) => {
      stdout.write(part, (error) => (error ? reject(error) : resolve()))
    })
}
