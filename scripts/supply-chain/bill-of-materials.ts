import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { nativePartsOf } from './native-parts.ts'

/** The parts of a CycloneDX document that we read. The rest stays as npm wrote it. */
export interface BillOfMaterials {
  bomFormat: string
  metadata: { component: { name: string } }
  components: Component[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}

export interface Component {
  'bom-ref': string
  name: string
  version: string
  properties?: { name: string; value: string }[]
  /** The native parts inside a package. */
  components?: { 'bom-ref': string; name: string; version: string }[]
}

/**
 * All runtime packages on any platform, as a CycloneDX document, with the native parts of those that are installed here. npm derives it
 * from the lockfile, offline. npm's `--omit=dev` would also drop packages used in both runtime and development, such as `ajv`, so we
 * request everything and remove what npm marks as development-only.
 */
export function billOfMaterials(projectName: string): BillOfMaterials {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const text = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
    // This keeps npm offline and removes the options set for test processes.
    env: { ...process.env, NODE_OPTIONS: '', npm_config_offline: 'true', npm_config_update_notifier: 'false' },
  })
  const all = JSON.parse(text) as BillOfMaterials
  const components = all.components
    .filter(({ properties = [] }) => !properties.some(isDevelopment))
    .map((component) => withNativeParts(component, root))
  const left = new Set(components.map((component) => component['bom-ref']))
  const isLeft = (ref: string) => left.has(ref)
  return {
    ...all,
    // npm names the project after its folder.
    metadata: { ...all.metadata, component: { ...all.metadata.component, name: projectName } },
    components,
    dependencies: all.dependencies
      .filter(({ ref }) => isLeft(ref) || !all.components.some((component) => component['bom-ref'] === ref))
      .map((each) => ({ ...each, ...(each.dependsOn && { dependsOn: each.dependsOn.filter(isLeft) }) })),
  }
}

function withNativeParts(component: Component, root: string): Component {
  const parts = nativePartsOf(component.name, `${root}node_modules/`)
  if (parts.length === 0) return component
  const ref = component['bom-ref']
  return {
    ...component,
    components: parts.map((part) => ({ type: 'library', 'bom-ref': `${ref}/${part.name}@${part.version}`, ...part })),
  }
}

/** Private packages are folders of this project, such as `test/clients`. */
function isDevelopment({ name, value }: { name: string; value: string }): boolean {
  return ['cdx:npm:package:development', 'cdx:npm:package:private'].includes(name) && value === 'true'
}
