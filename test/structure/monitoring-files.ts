import { parse } from 'yaml'
import { readSource } from './tree.ts'

interface Alert {
  alert: string
  expr: string
  labels: { severity?: string }
  annotations: { summary?: string; runbook_url?: string }
}

const { groups }: { groups: { rules: Alert[] }[] } = parse(readSource('deploy/monitoring/alerts.yaml').text)

/** The alert rules of `deploy/monitoring/`. */
export const alerts: readonly Alert[] = groups.flatMap(({ rules }) => rules)

const { panels }: { panels: { targets?: { expr: string }[] }[] } = JSON.parse(
  readSource('deploy/monitoring/dashboard.json').text,
)

/** The queries of the dashboard beside them. */
export const dashboardQueries: readonly string[] = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
