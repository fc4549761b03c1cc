/* docs/ilinject-config.xsd, carried inside the program. */
#include "platform/carried.h"

        carry config_schema
        .incbin SCHEMA_FILE
        carried config_schema
