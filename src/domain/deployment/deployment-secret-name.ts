/** Secrets that all processes of a deployment share, stored encrypted in its settings. */
export const deploymentSecretNames = [
  'hash-key',
  'contract-link-key',
  'simulated-processor-key',
  'simulated-processor-webhook-secret',
] as const
export type DeploymentSecretName = (typeof deploymentSecretNames)[number]
