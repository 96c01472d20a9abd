import { startSdkServer } from "../test/support/gateway/sdk-server.ts";
import { createSdkTools } from "./sdk-tools.ts";

const { url } = await startSdkServer(createSdkTools);
console.log(url);
