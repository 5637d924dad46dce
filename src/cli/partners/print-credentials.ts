import { printJson } from '../json-option.ts'
import { print, printError } from '../print.ts'

/**
 * Prints the credentials as JSON (indented for a terminal) and the notes to standard error, so that standard output
 * contains only JSON.
 */
export function printCredentials(credentials: object, json: true | undefined, notes: readonly string[] = []): void {
  if (json) {
    printJson({ ...credentials, ...(notes.length > 0 ? { notes } : {}) })
    return
  }
  print(JSON.stringify(credentials, null, 2))
  const keep = 'clientSecret' in credentials ? ['Save the secret now. Housebill stores only a hash of it.'] : []
  if (keep.length + notes.length > 0) printError(['', ...keep, ...notes].join('\n'))
}

/** The note for a client id of an external identity provider while no such provider is configured. */
export const noProviderNote =
  'No external identity provider is configured (IDP_ISSUER). Until one is, this client id cannot get a token.'

export const externalSecretsNote = 'IDP_ISSUER is set: an external identity provider keeps the secrets.'
