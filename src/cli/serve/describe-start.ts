import type { RunningService } from '../../app/serve.ts'
import type { Config } from '../../platform/config/config.ts'

/** The text shown to the operator after startup: the address, new credentials (once) and the next command. */
export function describeStart(config: Config, { sandbox }: RunningService, asJson: boolean): string {
  const { publicUrl, host, port } = config.server
  if (asJson) {
    const credentials = { clientId: sandbox?.clientId, clientSecret: sandbox?.newClientSecret }
    return JSON.stringify({ realm: config.realm, publicUrl, host, port, dataDir: config.dataDir, ...credentials })
  }
  return [
    '',
    `Housebill ${config.realm} is ready at ${publicUrl} (listening on ${host}:${port})`,
    `  API reference  ${publicUrl}/docs`,
    `  Console        ${publicUrl}/console`,
    `  Data           ${config.dataDir}`,
    ...(config.auth.identityProvider === undefined
      ? []
      : [`  Tokens         ${config.auth.identityProvider.issuer} (external identity provider)`]),
    ...(sandbox === undefined ? [] : describeSandbox(config, sandbox)),
    '',
  ].join('\n')
}

function describeSandbox(
  { server: { publicUrl }, auth }: Config,
  { clientId, newClientSecret }: NonNullable<RunningService['sandbox']>,
): string[] {
  if (auth.identityProvider !== undefined) return describeOutsideCredentials(clientId)
  const secret =
    newClientSecret === undefined
      ? [
          '  client secret  the one you set, or the one printed at the first start',
          `  a new secret   npx housebill partner rotate-secret ${clientId}`,
        ]
      : [`  client secret  ${newClientSecret}`, '                 shown only once: Housebill stores only a hash']
  return [
    '',
    'Sandbox credentials',
    `  client id      ${clientId}`,
    ...secret,
    '',
    'Next, in another terminal, run the whole journey from a token to a contract:',
    `  npx housebill journey --base-url ${publicUrl} --client-id ${clientId} --client-secret ${newClientSecret ?? '…'}`,
  ]
}

/** With an external identity provider, this service has no credentials of its own to show. */
function describeOutsideCredentials(clientId: string | undefined): string[] {
  const register = 'npx housebill partner create --name <name> --client-id <client id at the provider>'
  return [
    '',
    clientId === undefined
      ? `Register a client of the identity provider: ${register}`
      : `Sandbox partner: client id ${clientId}, with its secret at the identity provider`,
  ]
}
