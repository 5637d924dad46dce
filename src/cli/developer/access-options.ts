import { type Command, InvalidArgumentError } from 'commander'
import type { Environment } from '../../platform/config/env.ts'
import { loadEnvironment } from '../../platform/config/load-environment.ts'
import { invocation } from '../invocation.ts'
import { printError } from '../print.ts'

/** Which deployment a command calls, and as which partner. */
export interface PartnerAccess {
  /** The deployment's address, without /partner-api and without a trailing slash. */
  baseUrl: string
  clientId: string
  clientSecret: string
}

export type AccessOptions = Partial<PartnerAccess>

/** A postcode in Nottingham with fifteen of the sample properties that every sandbox has. */
export const samplePostcode = 'NG7 2RD'

/** Adds the options of a command that calls the API as a partner's program would. */
export function addAccessOptions(command: Command): Command {
  return addBaseUrlOption(command)
    .option('--client-id <id>', 'the client id to use (default: SANDBOX_CLIENT_ID)')
    .option(
      '--client-secret <secret>',
      'the client secret; set SANDBOX_CLIENT_SECRET instead, which other users of the machine cannot list',
    )
}

/** Adds the option that names the deployment. */
export function addBaseUrlOption(command: Command): Command {
  return command.option(
    '--base-url <url>',
    'the address of the deployment (default: PUBLIC_URL, or this machine)',
    deploymentUrl,
  )
}

/** The address of the deployment: that of the option or, without one, of the environment. */
export function baseUrlOf(option: string | undefined, { PUBLIC_URL, PORT }: Environment, command: Command): string {
  const here = PUBLIC_URL ?? `http://localhost:${PORT ?? 8080}`
  return option ?? usableBaseUrl(here) ?? command.error(`error: PUBLIC_URL or PORT is invalid: ${here} is not a URL`)
}

/** Takes what the options leave out from the environment. Ends the command as wrong usage if something is missing. */
export async function requireAccess(options: AccessOptions, command: Command): Promise<PartnerAccess> {
  const environment = await loadEnvironment({
    names: ['SANDBOX_CLIENT_SECRET'],
    source: invocation().environment,
  })
  const clientId = options.clientId ?? environment.SANDBOX_CLIENT_ID
  const clientSecret = options.clientSecret ?? environment.SANDBOX_CLIENT_SECRET
  if (clientId === undefined || clientSecret === undefined) {
    const missing = clientId === undefined ? 'SANDBOX_CLIENT_ID (or --client-id)' : 'SANDBOX_CLIENT_SECRET'
    return command.error(`error: ${missing} is missing; a sandbox prints its credentials when it first starts`)
  }
  if (options.clientSecret !== undefined) warnOfSecret('--client-secret', 'SANDBOX_CLIENT_SECRET')
  return { baseUrl: baseUrlOf(options.baseUrl, environment, command), clientId, clientSecret }
}

/** Arguments of a command are in the list of processes and in the shell's history. */
export function warnOfSecret(option: string, variable: string): void {
  printError(`warning: ${option} shows the secret to everybody on this machine. Set ${variable} instead.`)
}

function deploymentUrl(value: string): string {
  const usable = usableBaseUrl(value)
  if (usable !== undefined) return usable
  throw new InvalidArgumentError('Must be an http or https URL without query or credentials.')
}

/** Checks a base URL: `http://host:port`, with a path if the service has one. Removes a trailing /partner-api. */
function usableBaseUrl(value: string): string | undefined {
  const url = URL.canParse(value) ? new URL(value) : null
  const isUsable = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search + url.hash === ''
  if (!isUsable) return undefined
  return value.replace(/\/+$/, '').replace(/\/partner-api$/i, '')
}
