// What was compiled already, in the checkout or in a project before, offered the way its publishers offer it, so that a rehearsal does not
// compile it once for each project. Where nothing is compiled there is nothing to offer: installing then compiles, and takes a minute longer.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

/** For each compiled dependency in `modules`: what to call it by in the environment, where it is asked for, and its archive. */
export function prebuilt(modules, { manifest }) {
  return Object.keys(manifest.dependencies ?? {}).flatMap((name) => {
    const path = join(modules, name)
    return existsSync(join(path, 'build', 'Release')) ? [offer(name, realpathSync(path))] : []
  })
}

/** @see https://github.com/prebuild/prebuild-install#custom-binaries */
function offer(name, path) {
  const { version } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
  // Beside it may stand what its own tests have compiled.
  const binary = `build/Release/${name.replaceAll('-', '_')}.node`
  const { stdout } = spawnSync('tar', ['-cz', '-C', path, binary], { maxBuffer: 1 << 30 })
  const { platform, arch, versions } = process
  return {
    setting: `npm_config_${name.replaceAll(/[^a-zA-Z0-9]/g, '_')}_binary_host`,
    path: `v${version}/${name}-v${version}-node-v${versions.modules}-${platform}-${arch}.tar.gz`,
    bytes: stdout,
  }
}
