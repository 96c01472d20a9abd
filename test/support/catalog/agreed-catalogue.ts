type AgreedProvider = { credentialType: string | null; tools: readonly string[] };

/**
 * The services that users were promised, by the names their workflows, keys and clients hold. No other file counts or lists them.
 * More may come without a word here; none of these may vanish or be called something else.
 */
export const agreedProviders: Record<string, AgreedProvider> = {
  airtable: { credentialType: "airtable", tools: ["airtable_create_record", "airtable_list_records"] },
  anthropic: { credentialType: "anthropic", tools: ["anthropic_create_message"] },
  deepl: { credentialType: "deepl", tools: ["deepl_translate_text"] },
  discord: { credentialType: "discord_bot", tools: ["discord_send_message"] },
  elevenlabs: { credentialType: "elevenlabs", tools: ["elevenlabs_text_to_speech"] },
  email: { credentialType: "email", tools: ["email_search", "email_send"] },
  gemini: { credentialType: "gemini", tools: ["gemini_generate_content"] },
  github: {
    credentialType: "github",
    tools: ["github_create_issue", "github_create_issue_comment", "github_get_file", "github_search_issues"],
  },
  gmail: { credentialType: "gmail", tools: ["gmail_modify_labels", "gmail_search_emails", "gmail_send_email"] },
  google_calendar: {
    credentialType: "google_calendar",
    tools: ["google_calendar_create_event", "google_calendar_delete_event", "google_calendar_list_events"],
  },
  google_docs: { credentialType: "google_docs", tools: ["google_docs_create_document", "google_docs_get_document"] },
  google_drive: {
    credentialType: "google_drive",
    tools: ["google_drive_download_file", "google_drive_search_files", "google_drive_upload_file"],
  },
  google_sheets: {
    credentialType: "google_sheets",
    tools: ["google_sheets_append_rows", "google_sheets_read_range", "google_sheets_update_range"],
  },
  http: { credentialType: "http_auth", tools: ["http_read_feed", "http_request"] },
  hubspot: { credentialType: "hubspot", tools: ["hubspot_create_contact", "hubspot_search_contacts"] },
  jira: { credentialType: "jira", tools: ["jira_add_comment", "jira_create_issue", "jira_search_issues"] },
  linear: { credentialType: "linear", tools: ["linear_create_issue", "linear_search_issues"] },
  microsoft_outlook: {
    credentialType: "microsoft_outlook",
    tools: ["microsoft_outlook_search_emails", "microsoft_outlook_send_email"],
  },
  mysql: { credentialType: "mysql", tools: ["mysql_execute", "mysql_query"] },
  notion: { credentialType: "notion", tools: ["notion_create_page", "notion_get_page", "notion_search"] },
  openai: { credentialType: "openai", tools: ["openai_create_response", "openai_generate_image"] },
  postgres: { credentialType: "postgres", tools: ["postgres_execute", "postgres_query"] },
  redis: { credentialType: "redis", tools: ["redis_get", "redis_set"] },
  s3: { credentialType: "s3", tools: ["s3_delete_object", "s3_get_object", "s3_list_objects", "s3_put_object"] },
  slack: { credentialType: "slack", tools: ["slack_get_channel_history", "slack_list_channels", "slack_send_message"] },
  stripe: { credentialType: "stripe", tools: ["stripe_create_refund", "stripe_list_payments"] },
  system: { credentialType: null, tools: ["system_date_time", "system_transform_json", "system_wait"] },
  telegram: { credentialType: "telegram_bot", tools: ["telegram_send_message", "telegram_send_photo"] },
  twilio: { credentialType: "twilio", tools: ["twilio_send_sms"] },
  whatsapp: { credentialType: "whatsapp", tools: ["whatsapp_send_template_message", "whatsapp_send_text_message"] },
};

/** The tools of the server about the account itself. No folder adds to them, so these are all of a self-hosted installation. */
export const agreedPlatformTools: readonly string[] = [
  "platform_get_execution",
  "platform_get_me",
  "platform_get_workflow",
  "platform_list_credentials",
  "platform_list_executions",
  "platform_list_tool_invocations",
  "platform_list_triggers",
  "platform_list_workflows",
  "platform_set_trigger_active",
];
