/** Secrets every process of a deployment shares. They lie among its settings, encrypted as those are not. */
export const deploymentSecretNames = [
  'hash-key',
  'contract-link-key',
  'simulated-processor-key',
  'simulated-processor-webhook-secret',
] as const
export type DeploymentSecretName = (typeof deploymentSecretNames)[number]
