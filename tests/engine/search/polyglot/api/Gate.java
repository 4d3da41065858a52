package api;

import java.io.IOException;
import java.util.List;

public class Gate extends Door {
    protected List<String> parcels;

    @Override
    public List<String> openParcels(String parcelKey) throws IOException {
        if (parcelKey == null) {
            throw new IllegalStateException("parcel without a key");
        }
        return parcels;
    }

    private void closeParcels() {
        parcels = null;
    }
}
