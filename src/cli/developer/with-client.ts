import {
  ApiError,
  ConnectionError,
  HousebillClient,
  HousebillError,
  TokenRefusedError,
} from '../../../clients/typescript/src/entry.ts'
import { CommandError } from '../../platform/kernel/command-error.ts'
import type { PartnerAccess } from './access-options.ts'

/** Retries end sooner than a partner's program needs them to: a person is waiting. */
const retry = { maxRetries: 2 }

/** Runs work with a client of the API. Throws CommandError if the deployment cannot be reached or rejects a call. */
export async function withClient<Result>(
  { baseUrl, clientId, clientSecret }: PartnerAccess,
  work: (client: HousebillClient) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(new HousebillClient({ baseUrl, clientId, clientSecret, retry }))
  } catch (error) {
    throw error instanceof HousebillError ? commandError(error, baseUrl) : error
  }
}

function commandError(error: HousebillError, baseUrl: string): CommandError {
  if (error instanceof ApiError) return new CommandError(error.code, error.message)
  if (error instanceof TokenRefusedError)
    return new CommandError('token_refused', `${error.message} Check the client id and the secret.`)
  const what = error instanceof ConnectionError && error.status === undefined ? 'cannot be reached' : 'is not usable'
  return new CommandError(
    'connection_failed',
    `${baseUrl} ${what} (${error.message}). Start the service, or set its address with --base-url.`,
  )
}
