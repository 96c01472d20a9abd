import { writeFileSync } from "node:fs";

// Loaded before a command: leaves the most memory that its process ever had, in bytes.
process.on("exit", () => writeFileSync(process.env.TEST_MEMORY_FILE, String(process.resourceUsage().maxRSS * 1024)));
