import { printJson } from '../json-option.ts'

/** For people over several lines, with what to know about it on standard error, so that the output stays JSON. */
export function printCredentials(credentials: object, json: true | undefined, notes: readonly string[] = []): void {
  if (json) {
    printJson({ ...credentials, ...(notes.length > 0 ? { notes } : {}) })
    return
  }
  console.log(JSON.stringify(credentials, null, 2))
  const keep = 'clientSecret' in credentials ? ['Save the secret now. Housebill stores only a hash of it.'] : []
  if (keep.length + notes.length > 0) console.error(['', ...keep, ...notes].join('\n'))
}

/** A client id of an external identity provider, where none is configured yet. */
export const unusableYet =
  'No external identity provider is configured (IDP_ISSUER). Until one is, this client id cannot get a token.'

export const keptOutside = 'IDP_ISSUER is set: an external identity provider keeps the secrets.'
