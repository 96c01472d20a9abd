/** What the bundler makes of a pattern of file names. */
interface ImportMeta {
  glob: <Module>(pattern: string, options: { eager: true; import: "default" }) => Record<string, Module>;
}
