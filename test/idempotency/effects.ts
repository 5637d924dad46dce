/**
 * Not effects of a request: what the worker and the simulated processor do afterwards in their own time, and the keys themselves.
 * `deployment_settings` and `scheduled_jobs` have what jobs remember from one run to the next.
 */
const machinery = [
  /^public\.(delivery_history\w*|delivery_queue|deployment_settings|idempotency_keys|scheduled_jobs) /,
  /^public\.(events|webhooks) UPDATE$/,
  /^simulated_processor\.(outgoing_webhooks|idempotent_answers) /,
]

/** The rows written that requests are answerable for. */
export function effectsAmong(written: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...written].filter(([what]) => !machinery.some((pattern) => pattern.test(what))))
}
