// The room of templates: what a container starts from in the place of the host's own programs. It builds, keeps, checks and hands them out.
export { buildTemplate, type BuildRequest } from "./build-template.ts";
export { type TemplateDefinition, templateDefinitions } from "./definitions.ts";
export { refuseSecrets } from "./refuse-secrets.ts";
export { type FoundSecret, type ScanBounds, scanForSecrets, type SecretScan } from "./scan-tree.ts";
export {
  listEntries,
  readEntry,
  removeTemplates,
  removeUnused,
  takeTemplate,
  type TemplateStore,
  verifyTemplate,
  withStoreLock,
} from "./template-store.ts";
