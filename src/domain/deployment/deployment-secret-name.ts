/** Secrets that every process of a deployment shares, stored encrypted among its settings. */
export const deploymentSecretNames = [
  'hash-key',
  'contract-link-key',
  'simulated-processor-key',
  'simulated-processor-webhook-secret',
] as const
export type DeploymentSecretName = (typeof deploymentSecretNames)[number]
