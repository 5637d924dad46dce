/** Secrets that all processes of a deployment share, stored encrypted in its settings. */
export const deploymentSecretNames = ['simulated-processor-key', 'simulated-processor-webhook-secret'] as const
export type DeploymentSecretName = (typeof deploymentSecretNames)[number]
