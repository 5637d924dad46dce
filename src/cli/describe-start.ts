import type { RunningService } from '../compose/serve.ts'
import type { Config } from '../config/config.ts'

/** What the operator reads after a start: where it listens, new credentials (once), and the next command to type. */
export function describeStart(config: Config, { newCredentials }: RunningService, asJson: boolean): string {
  const { publicUrl, host, port } = config.server
  if (asJson) {
    const { clientId, clientSecret } = newCredentials ?? {}
    return JSON.stringify({
      realm: config.realm,
      publicUrl,
      host,
      port,
      dataDir: config.dataDir,
      clientId,
      clientSecret,
    })
  }
  const lines = [
    '',
    `Housebill ${config.realm} is ready at ${publicUrl} (listening on ${host}:${port})`,
    `  API reference  ${publicUrl}/docs`,
    `  Data           ${config.dataDir}`,
  ]
  if (newCredentials !== undefined) {
    lines.push(
      '',
      'Sandbox credentials, shown this once (only a hash of the secret is kept):',
      `  client id      ${newCredentials.clientId}`,
      `  client secret  ${newCredentials.clientSecret}`,
      '',
      'Next, in another terminal, walk the whole journey from a token to a contract:',
      `  npx housebill journey --base-url ${publicUrl} --client-id ${newCredentials.clientId} --client-secret ${newCredentials.clientSecret}`,
    )
  } else if (config.realm === 'sandbox') {
    lines.push(
      '',
      'The sandbox credentials were shown at the first start (or are set in the environment).',
      '  Client ids     npx housebill partner list',
      '  A new secret   npx housebill partner rotate-secret <clientId>',
    )
  }
  return [...lines, ''].join('\n')
}
